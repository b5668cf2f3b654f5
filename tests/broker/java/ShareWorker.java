import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A member of a share group that answers each record by itself: it rejects and releases those it is told to, holds some
 * until their locks expire or it is killed, and writes down each delivery with the count that the broker gave.
 */
public final class ShareWorker {
    public static void main(String[] arguments) throws Exception {
        Client.understand(arguments);
        Client.stopWhenAsked();
        Set<Long> rejected = Arrays.stream(list("reject")).map(Long::valueOf).collect(Collectors.toSet());
        Map<Long, Integer> released = new HashMap<>();
        for (String pair : list("release")) {
            released.put(Long.valueOf(pair.split(":")[0]), Integer.valueOf(pair.split(":")[1]));
        }
        int hold = Integer.parseInt(Client.asked("hold"));
        try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Client.settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(Client.asked("topics").split(",")));
            Client.say("joining", "");
            int got = 0;
            while (!Client.stopping()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    int count = record.deliveryCount().map(Short::intValue).orElse(-1);
                    say("got", record, ",\"count\":" + count);
                    if (++got == hold) {
                        Client.say("holding", "");
                        Thread.sleep(Long.parseLong(Client.asked("hold_ms")));
                    }
                    AcknowledgeType answer = rejected.contains(record.offset()) ? AcknowledgeType.REJECT
                            : count <= released.getOrDefault(record.offset(), 0) ? AcknowledgeType.RELEASE
                            : AcknowledgeType.ACCEPT;
                    consumer.acknowledge(record, answer);
                    say("answered", record, ",\"answer\":\"" + answer.toString().toLowerCase() + "\"");
                }
                consumer.commitSync().forEach((partition, error) -> Client.say("committed", ",\"topic\":\""
                        + partition.topic() + "\",\"partition\":" + partition.partition() + ",\"error\":"
                        + error.map(one -> "\"" + one.getClass().getSimpleName() + "\"").orElse("null")));
            }
        }
        Client.say("closed", "");
    }

    private static String[] list(String name) {
        return Client.asked(name).isEmpty() ? new String[0] : Client.asked(name).split(",");
    }

    private static void say(String event, ConsumerRecord<byte[], byte[]> record, String more) {
        Client.say(event, ",\"topic\":\"" + record.topic() + "\",\"partition\":" + record.partition() + ",\"offset\":"
                + record.offset() + more);
    }
}
