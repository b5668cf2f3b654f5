import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

import com.sun.management.OperatingSystemMXBean;

import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;

/**
 * Reads a segment of __consumer_offsets with Kafka's own classes: checksums, batches, records, and keys and values as
 * objects. WAY is `pieces`, as a coordinator loads its partitions, or `batches`, one batch after the other from the
 * file, as tools do. Prints for each round its seconds, those that this process used a processor (garbage collection
 * included), and the number of records; the first rounds are there for the JIT compiler.
 *
 * Arguments: FILE WAY ROUNDS.
 */
public final class FileRecordsBench {
    private static final int PIECE_BYTES = 5 * 1024 * 1024;

    /** The records read last: what is kept must truly be made. */
    private static final Object[] KEPT = new Object[1024];
    private static final OperatingSystemMXBean SYSTEM =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private FileRecordsBench() {
    }

    public static void main(String[] arguments) throws Exception {
        File file = new File(arguments[0]);
        for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
            long start = System.nanoTime();
            long startOnProcessor = SYSTEM.getProcessCpuTime();
            long records = read(file, arguments[1]);
            double onProcessor = (SYSTEM.getProcessCpuTime() - startOnProcessor) / 1e9;
            System.out.println((System.nanoTime() - start) / 1e9 + " " + onProcessor + " " + records);
        }
    }

    private static long read(File file, String way) throws Exception {
        GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
        try (FileRecords segment = FileRecords.open(file, false)) {
            return way.equals("pieces") ? readPieces(segment, serde) : decode(segment.batches(), serde);
        }
    }

    private static long readPieces(FileRecords segment, GroupCoordinatorRecordSerde serde) throws Exception {
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        long count = 0;
        int position = 0;
        while (position < segment.sizeInBytes()) {
            piece.clear();
            segment.readInto(piece, position);
            MemoryRecords records = MemoryRecords.readableRecords(piece);
            position += records.validBytes();
            count += decode(records.batches(), serde);
        }
        return count;
    }

    private static long decode(Iterable<? extends RecordBatch> batches, GroupCoordinatorRecordSerde serde) {
        long count = 0;
        for (RecordBatch batch : batches) {
            batch.ensureValid();
            for (Record record : batch) {
                KEPT[(int) (count++ % KEPT.length)] = serde.deserialize(record.key(), record.value());
            }
        }
        return count;
    }
}
