using System.Buffers.Binary;
using System.Text;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Indexing;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Lucene;

/// <summary>Lucene 9.12's analyzers in a separate Java process, from the jars of the performance harness.</summary>
internal static class LuceneAnalyzer
{
    /// <summary>
    /// Returns the path of test data in ../shared, next to the repository; skips the test if it is missing.
    /// </summary>
    public static string Shared(string path)
    {
        var full = Path.GetFullPath(Path.Combine("../shared", path), RepositoryTree.Root);
        Skip.IfNot(Path.Exists(full), $"no {path} in the folder shared next to the repository");
        return full;
    }

    /// <summary>
    /// Passes Lucene's analysis of each text, by the text's number, with offsets in bytes of its UTF-8.
    /// </summary>
    public static async Task AnalyzeAsync(string analyzer, IReadOnlyList<string> texts, Action<int, AnalyzedText> each)
    {
        var libraries = Shared("perf/libs");
        // A source file is run by `java` where the compiler is there, too.
        if (LocalInstallation.FindProgram("javac") is null)
            throw Missing.Program("javac", "openjdk-17-jdk-headless");
        var source = Path.Combine(RepositoryTree.Root, "tests/Pipeline.IntegrationTests/Lucene/LuceneTokens.java");
        var folder = Directory.CreateTempSubdirectory("pipeline-lucene-");
        try
        {
            var (input, output) = (Path.Combine(folder.FullName, "texts"), Path.Combine(folder.FullName, "tokens"));
            Write(input, texts);
            await Tool.RunAsync("java", ["-cp", Path.Combine(libraries, "*"), source, analyzer, input, output]);
            Read(output, texts, each);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static void Write(string file, IReadOnlyList<string> texts)
    {
        using var stream = new BufferedStream(File.Create(file), 1 << 16);
        Span<byte> length = stackalloc byte[4];
        foreach (var text in texts)
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            BinaryPrimitives.WriteInt32BigEndian(length, bytes.Length);
            stream.Write(length);
            stream.Write(bytes);
        }
    }

    private static void Read(string file, IReadOnlyList<string> texts, Action<int, AnalyzedText> each)
    {
        using var stream = new BufferedStream(File.OpenRead(file), 1 << 16);
        var number = new byte[4];
        var term = Array.Empty<byte>();
        for (var i = 0; i < texts.Count; i++)
        {
            var tokens = new List<AnalyzedToken>();
            var offsets = new ByteOffsets(texts[i]);
            for (int length; (length = Next()) >= 0; )
            {
                if (term.Length < length)
                    term = new byte[length];
                stream.ReadExactly(term, 0, length);
                tokens.Add(
                    new AnalyzedToken(
                        Encoding.UTF8.GetString(term, 0, length),
                        Next(),
                        offsets.At(Next()),
                        offsets.At(Next())
                    )
                );
            }

            each(i, new AnalyzedText(tokens, Next()));
        }

        int Next()
        {
            stream.ReadExactly(number);
            return BinaryPrimitives.ReadInt32BigEndian(number);
        }
    }

    /// <summary>Offsets in UTF-16 code units as offsets in bytes, asked for in about ascending order.</summary>
    private sealed class ByteOffsets(string text)
    {
        private int _units;
        private int _bytes;

        public int At(int offset)
        {
            if (offset < _units)
                (_units, _bytes) = (0, 0);
            _bytes += Encoding.UTF8.GetByteCount(text.AsSpan(_units, offset - _units));
            _units = offset;
            return _bytes;
        }
    }
}
