import java.util.List;

import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A member of a streams group that keeps no state and writes down each record; called as Client is. */
public final class StreamsMember {
    public static void main(String[] arguments) {
        Client.understand(arguments);
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(List.of(Client.asked("topics").split(",")), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .process(Writing::new);
        KafkaStreams streams = new KafkaStreams(builder.build(), Client.settings());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            streams.close();
            Client.say("closed", "");
        }));
        streams.start();
        Client.say("joining", "");
    }

    private static final class Writing extends ContextualProcessor<byte[], byte[], byte[], byte[]> {
        @Override
        public void process(Record<byte[], byte[]> record) {
            try {
                Thread.sleep(Long.parseLong(Client.asked("delay_ms")));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            context().recordMetadata().ifPresent(
                    one -> Client.processed(one.topic(), one.partition(), one.offset()));
        }
    }
}
