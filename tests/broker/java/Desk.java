import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.apache.kafka.common.utils.Exit;

/**
 * One Java that calls many programs, one after the other: a line on stdin names a class and the words for its main
 * method, what it printed and its exit code go to stdout. It ends when stdin does, and says goodbye to no broker.
 */
public final class Desk {
    private static final String BETWEEN_WORDS = "\u001f";
    private static final char END_OF_ANSWER = '\u0004';

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private boolean ended;
    private int code;
    private int length;

    public static void main(String[] none) throws Exception {
        new Desk().answer(System.out);
        Runtime.getRuntime().halt(0);
    }

    private void answer(PrintStream answers) throws Exception {
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        Exit.setExitProcedure((status, why) -> {
            end(status);
            throw new Ended();
        });
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ended = false;
            said.reset();
            call(line.split(BETWEEN_WORDS, -1));
            answers.write(said.toByteArray(), 0, length);
            answers.print("\n" + END_OF_ANSWER + code + "\n");
            answers.flush();
        }
    }

    private void call(String[] words) throws ReflectiveOperationException {
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        try {
            Class.forName(words[0]).getMethod("main", String[].class).invoke(null, (Object) arguments);
            end(0);
        } catch (InvocationTargetException failed) {
            if (!ended) {
                failed.getCause().printStackTrace();
            }
            end(1);
        }
    }

    /** Some programs catch everything that is thrown, so the first end is the one that counts. */
    private void end(int status) {
        if (!ended) {
            ended = true;
            code = status;
            length = said.size();
        }
    }

    /** Thrown where a program would have ended the Java that it runs in. */
    private static final class Ended extends Error { }
}
