import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a share group, which reads a topic from its start and writes down each record; called as Client is. */
public final class ShareMember {
    public static void main(String[] arguments) throws Exception {
        Client.understand(arguments);
        Client.stopWhenAsked();
        readFromTheStart(Client.asked("kafka.group.id"));
        try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Client.settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(Client.asked("topics").split(",")));
            Client.say("joining", "");
            while (!Client.stopping()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    Thread.sleep(Long.parseLong(Client.asked("delay_ms")));
                    Client.processed(record.topic(), record.partition(), record.offset());
                }
            }
        }
        Client.say("closed", "");
    }

    /** A share group's start is a setting of the group, not of its members. */
    private static void readFromTheStart(String group) throws Exception {
        AlterConfigOp set = new AlterConfigOp(
                new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
        try (Admin admin = Admin.create(Client.settings())) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(set)))
                    .all().get();
        }
    }
}
