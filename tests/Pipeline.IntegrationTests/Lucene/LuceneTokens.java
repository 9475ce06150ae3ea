import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.core.KeywordTokenizer;
import org.apache.lucene.analysis.core.SimpleAnalyzer;
import org.apache.lucene.analysis.core.StopAnalyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.ngram.NGramTokenFilter;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

/**
 * Lucene's tokens. java -cp LIBS LuceneTokens.java ANALYZER INPUT OUTPUT: the input is texts, each its length (4 bytes, big-endian) and UTF-8;
 * for each text the output has the tokens (length and UTF-8 of the term, position increment, start and end offset in UTF-16 code units, each
 * number 4 bytes), then -1 and the positions skipped at the end.
 */
final class LuceneTokens {
  public static void main(String[] args) throws IOException {
    try (Analyzer analyzer = analyzer(args[0]);
        DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(args[1])), 1 << 16));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(args[2])), 1 << 16))) {
      while (true) {
        byte[] text;
        try {
          text = new byte[in.readInt()];
        } catch (EOFException end) {
          return;
        }
        in.readFully(text);
        write(analyzer, new String(text, StandardCharsets.UTF_8), out);
      }
    }
  }

  private static void write(Analyzer analyzer, String text, DataOutputStream out) throws IOException {
    try (TokenStream tokens = analyzer.tokenStream("field", text)) {
      CharTermAttribute term = tokens.addAttribute(CharTermAttribute.class);
      PositionIncrementAttribute increment = tokens.addAttribute(PositionIncrementAttribute.class);
      OffsetAttribute offset = tokens.addAttribute(OffsetAttribute.class);
      tokens.reset();
      while (tokens.incrementToken()) {
        byte[] bytes = term.toString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.writeInt(increment.getPositionIncrement());
        out.writeInt(offset.startOffset());
        out.writeInt(offset.endOffset());
      }
      tokens.end();
      out.writeInt(-1);
      out.writeInt(increment.getPositionIncrement());
    }
  }

  private static Analyzer analyzer(String name) {
    return switch (name) {
      case "standard" -> new StandardAnalyzer(CharArraySet.EMPTY_SET);
      case "simple" -> new SimpleAnalyzer();
      case "whitespace" -> new WhitespaceAnalyzer();
      case "keyword" -> new KeywordAnalyzer();
      case "lower-case-keyword" -> new Analyzer() {
        @Override protected TokenStreamComponents createComponents(String field) {
          Tokenizer tokenizer = new KeywordTokenizer();
          return new TokenStreamComponents(tokenizer, new LowerCaseFilter(tokenizer));
        }
      };
      case "stop" -> new StopAnalyzer(EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
      case "english" -> new EnglishAnalyzer();
      case "ngram" -> new Analyzer() {
        @Override protected TokenStreamComponents createComponents(String field) {
          Tokenizer tokenizer = new StandardTokenizer();
          return new TokenStreamComponents(tokenizer, new NGramTokenFilter(new LowerCaseFilter(tokenizer), 2, 6, false));
        }
      };
      default -> throw new IllegalArgumentException(name);
    };
  }
}
