import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What a test does to a broker as a client: one verb per call, and for members, which are processes of their own, one
 * line of JSON per event, written before the next thing is done. Arguments are name=value; those that begin with
 * "kafka." are the client's own settings.
 */
public final class Client {
    private static final Duration A_MOMENT = Duration.ofMillis(100);
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private static final Map<String, String> asked = new HashMap<>();
    private static volatile boolean stopping;

    public static void main(String[] arguments) throws Exception {
        understand(arguments);
        switch (asked.get("verb")) {
            case "consume" -> consume();
            case "transform" -> transform();
            case "produce" -> produce();
            case "commit" -> commit();
            case "alter" -> alter();
            case "committed" -> committed();
            case "transact" -> transact();
            default -> throw new IllegalArgumentException(asked.get("verb"));
        }
    }

    static void understand(String[] arguments) {
        asked.clear();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            asked.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
    }

    static String asked(String name) {
        return asked.get(name);
    }

    static boolean stopping() {
        return stopping;
    }

    /**
     * A member of a group: commit=auto, after (each poll's records are processed), before (they are) or never; or, with
     * alone=true, a reader of all partitions that commits in the group's name and never joins it.
     */
    private static void consume() throws InterruptedException {
        stopWhenAsked();
        Written written = new Written();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            begin(consumer, written);
            say("joining", "");
            int seen = 0;
            while (!stopping) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(A_MOMENT);
                commitIf("before", consumer, records);
                int left = records.count();
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    left--;
                    if (record.offset() >= Long.parseLong(asked.get("upto"))) {
                        leave(record, consumer);
                        continue;
                    }
                    processed(record.topic(), record.partition(), record.offset());
                    holdIf(++seen, left);
                    Thread.sleep(Long.parseLong(asked.get("delay_ms")));
                }
                commitIf("after", consumer, records);
                written.place(consumer);
            }
        }
        say("closed", "");
    }

    private static void begin(KafkaConsumer<byte[], byte[]> consumer, Written written) {
        List<String> topics = List.of(asked.get("topics").split(","));
        if (Boolean.parseBoolean(asked.get("alone"))) {
            consumer.assign(topics.stream().flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(one -> new TopicPartition(one.topic(), one.partition())).toList());
            written.unplaced = true;
        } else {
            consumer.subscribe(topics, written);
        }
    }

    /** Read no more of a partition than came before this record. */
    private static void leave(ConsumerRecord<byte[], byte[]> record, KafkaConsumer<byte[], byte[]> consumer) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        if (!consumer.paused().contains(partition)) {
            consumer.pause(List.of(partition));
            consumer.seek(partition, record.offset());
        }
    }

    /** Do nothing any more, in the middle of a poll's records and after so many, until killed. */
    private static void holdIf(int seen, int left) throws InterruptedException {
        int hold = Integer.parseInt(asked.get("hold"));
        if (hold > 0 && seen >= hold && left > 0) {
            say("holding", "");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /**
     * A member that puts what it makes of each poll, and how far it read, into one transaction. It aborts some and
     * begins them again, and a transaction of its own choice it leaves open until it is killed. A record counts as
     * processed when its transaction is committed.
     */
    private static void transform() throws InterruptedException {
        stopWhenAsked();
        Written written = new Written();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(); KafkaProducer<byte[], byte[]> producer = producer()) {
            producer.initTransactions();
            consumer.subscribe(List.of(asked.get("topics").split(",")), written);
            say("joining", "");
            for (int number = 1; !stopping; ) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(A_MOMENT);
                written.place(consumer);
                if (!records.isEmpty()) {
                    transformOne(number++, records, consumer, producer);
                }
            }
        }
        settle();
        say("closed", "");
    }

    private static void transformOne(int number, ConsumerRecords<byte[], byte[]> records,
            KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer)
            throws InterruptedException {
        producer.beginTransaction();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Thread.sleep(Long.parseLong(asked.get("delay_ms")));
            producer.send(new ProducerRecord<>(asked.get("to"), record.value()), Client::dieIfFailed);
        }
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        records.partitions().forEach(one -> positions.put(one, new OffsetAndMetadata(consumer.position(one))));
        boolean fenced = Boolean.parseBoolean(asked.get("fenced"));
        producer.sendOffsetsToTransaction(
                positions, fenced ? consumer.groupMetadata() : new ConsumerGroupMetadata(asked.get("kafka.group.id")));
        if (number == Integer.parseInt(asked.get("hold"))) {
            producer.flush();
            say("holding", "");
            Thread.sleep(Long.MAX_VALUE);
        } else if (number % Integer.parseInt(asked.get("abort_every")) == 0) {
            producer.flush();
            producer.abortTransaction();
            say("aborted", ",\"records\":" + records.count());
            records.partitions().forEach(one -> consumer.seek(one, records.records(one).get(0).offset()));
        } else {
            producer.commitTransaction();
            records.forEach(record -> processed(record.topic(), record.partition(), record.offset()));
        }
    }

    static void stopWhenAsked() {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stopping = true;
            try {
                main.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    private static void commitIf(
            String when, KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
        if (!when.equals(asked.get("commit")) || records.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync();
        } catch (KafkaException refused) {
            refused(refused);
        }
    }

    private static void refused(KafkaException refused) {
        say("refused", ",\"why\":\"" + refused.getClass().getSimpleName() + "\"");
    }

    /** Write count records to each partition of a topic, one to each and then a pause of every_ms. */
    private static void produce() throws InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            send(producer);
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer) throws InterruptedException {
        for (int i = 0; i < Integer.parseInt(asked.getOrDefault("count", "0")); i++) {
            for (int partition = 0; partition < Integer.parseInt(asked.get("partitions")); partition++) {
                byte[] value = (asked.get("topic") + "-" + partition + " " + i).getBytes(StandardCharsets.UTF_8);
                producer.send(new ProducerRecord<>(asked.get("topic"), partition, null, value), Client::dieIfFailed);
            }
            Thread.sleep(Long.parseLong(asked.get("every_ms")));
        }
    }

    private static void dieIfFailed(RecordMetadata written, Exception failure) {
        if (failure != null) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** Commit offsets for a group without being its member. */
    private static void commit() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            consumer.assign(offsets().keySet());
            consumer.commitSync(offsets());
        }
    }

    /** Set a group's offsets for it, all in one request, as MirrorMaker does for a group on the other side. */
    private static void alter() throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(settings())) {
            admin.alterConsumerGroupOffsets(asked.get("group"), offsets()).all().get();
        }
    }

    /** Print partition, committed offset (-1 for none) and log end of a topic, where Kafka's command can't. */
    private static void committed() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            TreeSet<TopicPartition> partitions = new TreeSet<>(Comparator.comparing(TopicPartition::partition));
            consumer.partitionsFor(asked.get("topic"))
                    .forEach(one -> partitions.add(new TopicPartition(one.topic(), one.partition())));
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            for (TopicPartition one : partitions) {
                long offset = committed.get(one) == null ? -1 : committed.get(one).offset();
                System.out.println(one.partition() + " " + offset + " " + ends.get(one));
            }
        }
    }

    /** One transaction with records and a group's offsets in it: outcome=commit, abort or open. */
    private static void transact() throws InterruptedException {
        KafkaProducer<byte[], byte[]> producer = producer();
        producer.initTransactions();
        producer.beginTransaction();
        send(producer);
        producer.sendOffsetsToTransaction(offsets(), new ConsumerGroupMetadata(asked.get("group")));
        producer.flush();
        switch (asked.get("outcome")) {
            case "commit" -> producer.commitTransaction();
            case "abort" -> producer.abortTransaction();
            case "open" -> { }
            default -> throw new IllegalArgumentException(asked.get("outcome"));
        }
        if (!asked.get("outcome").equals("open")) {  // closing would abort it
            producer.close();
            settle();
        }
    }

    /** A commit or an abort is answered before its markers are written; until they are, nobody begins with its id. */
    private static void settle() {
        try (KafkaProducer<byte[], byte[]> next = producer()) {
            next.initTransactions();
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (String entry : asked.get("offsets").split(",")) {
            int dash = entry.lastIndexOf('-');
            int colon = entry.lastIndexOf(':');
            TopicPartition partition =
                    new TopicPartition(entry.substring(0, dash), Integer.parseInt(entry.substring(dash + 1, colon)));
            offsets.put(partition, new OffsetAndMetadata(Long.parseLong(entry.substring(colon + 1))));
        }
        return offsets;
    }

    private static KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(settings(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    static Properties settings() {
        Properties settings = new Properties();
        asked.forEach((name, value) -> {
            if (name.startsWith("kafka.")) {
                settings.put(name.substring("kafka.".length()), value);
            }
        });
        return settings;
    }

    static void processed(String topic, int partition, long offset) {
        say("processed", ",\"topic\":\"" + topic + "\",\"partition\":" + partition + ",\"offset\":" + offset);
    }

    static void say(String event, String more) {
        OUT.println("{\"ms\":" + System.currentTimeMillis() + ",\"event\":\"" + event + "\"" + more + "}");
    }

    /** Writes down what the group gives and takes. */
    private static final class Written implements ConsumerRebalanceListener {
        private boolean unplaced;

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            unplaced = !partitions.isEmpty();
            write("assigned", partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            write("revoked", partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            write("lost", partitions);
        }

        /** Say when it is known where each partition goes on: what is produced later will be read. */
        private void place(KafkaConsumer<byte[], byte[]> consumer) {
            if (!unplaced) {
                return;
            }
            try {
                consumer.assignment().forEach(consumer::position);
                write("placed", consumer.assignment());
                unplaced = false;
            } catch (KafkaException refused) {
                refused(refused);
            }
        }

        private static void write(String event, Collection<TopicPartition> partitions) {
            List<String> names = partitions.stream().map(partition -> "\"" + partition + "\"").sorted().toList();
            say(event, ",\"partitions\":" + names);
        }
    }
}
