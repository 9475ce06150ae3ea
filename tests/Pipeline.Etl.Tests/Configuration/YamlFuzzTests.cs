using System.Text;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.EtlKit.Configuration;
using Pipeline.TestKit;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Etl.Tests.Configuration;

/// <summary>Good files broken in seeded ways: reading one ends with a configuration or with faults that have places,
/// and soon. Short here; see <see cref="FuzzRun"/>.</summary>
public sealed class YamlFuzzTests(ITestOutputHelper output)
{
    private const int UsualRuns = 3_000;
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    private static readonly string[] Pieces =
    [
        " ",
        "  ",
        "\n",
        "\t",
        "- ",
        ": ",
        ":",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        "|\n",
        ">\n",
        "&a ",
        "*a",
        "!!str ",
        "# x\n",
        "---\n",
        "...\n",
        "? ",
        "<<: *a\n",
        "%YAML 1.2\n",
        "@",
        "`",
        ",",
        "${",
        "${A}",
        "${file:",
        "${command:x}",
        "${file:/dev/null}",
        "$${",
        "~",
        "null",
        "\0",
        "\uFEFF",
        "\uD83D\uDE00",
        "\r",
        "\u0085",
        "\u2028",
        "99999999999999999999",
        "1e999",
        "-",
        "\\",
        "\"\\x4",
        "\"\\uD800\"",
        "version: 1\n",
        "etl:\n",
        "tests: [{}]",
        "helpers: {}\n",
        "secrets: { command: [echo] }\n",
        "{{{{{{{{{{",
        "[[[[[[[[[[",
        "a: &a [*a]",
        "onDelete: yes",
    ];

    [Fact]
    public async Task Any_mutation_of_a_good_file_is_read_or_refused()
    {
        var fuzz = new FuzzRun(UsualRuns, 20261121);
        string[] good =
        [
            File.ReadAllText(Path.Combine(RepositoryTree.Root, "samples/Quickstart/pipeline.yaml")),
            File.ReadAllText(Path.Combine(RepositoryTree.Root, "docker/pipeline.yaml")),
            .. BrokenConfigurations.Files().Select(f => (string)f[1]),
        ];
        (var read, var refused) = (0, 0);
        while (fuzz.Next())
        {
            var seed = fuzz.Seed + fuzz.Rounds - 1;
            var random = new Random(seed);
            var text = good[random.Next(3) == 0 ? random.Next(good.Length) : random.Next(2)];
            for (var n = random.Next(1, 6); n > 0; n--)
                text = Mutate(text, good, random);

            var faults = new List<Diagnostic>();
            var reading = Task.Run(() =>
                ConfigurationReader.Read(
                    "f",
                    text,
                    FixedVariables.None,
                    ConnectorCatalog.BuiltIn,
                    faults,
                    isLenient: random.Next(2) == 0
                )
            );
            var place = $"PIPELINE_SEED={seed}:\n{text}";
            try
            {
                var configuration = await reading.WaitAsync(Timeout);
                Assert.True(configuration is not null || faults.Count > 0, place);
            }
            catch (TimeoutException)
            {
                Assert.Fail($"not read within {Timeout}: {place}");
            }
            catch (Exception e) when (e is not Xunit.Sdk.XunitException)
            {
                Assert.Fail($"{e}\n{place}");
            }

            Assert.All(faults, f => Assert.True(f.Line > 0 && f.Column > 0 && f.Message.Length > 0, place));
            if (faults.Exists(f => !f.IsWarning))
                refused++;
            else
                read++;
        }

        // Both ways are taken, or the mutations are too weak or too strong.
        output.WriteLine($"{fuzz.End()}: {read} read, {refused} refused");
        Assert.True(read > fuzz.Rounds / 50 && refused > fuzz.Rounds / 2, $"{read} read, {refused} refused");
    }

    private static string Mutate(string text, string[] good, Random random)
    {
        if (text.Length == 0)
            return Pieces[random.Next(Pieces.Length)];
        int at = random.Next(text.Length),
            length = Math.Min(random.Next(1, 40), text.Length - at);
        var lines = text.Split('\n');
        var line = random.Next(lines.Length);
        switch (random.Next(10))
        {
            case 0:
                return text.Remove(at, length);
            case 1:
                return text.Insert(random.Next(text.Length), text.Substring(at, length));
            case 2:
                return text[..at];
            case 3:
                lines[line] = new string(' ', random.Next(8)) + lines[line].TrimStart();
                return string.Join('\n', lines);
            case 4:
                return string.Join('\n', lines.Where((_, i) => i != line));
            case 5:
                var other = random.Next(lines.Length);
                (lines[line], lines[other]) = (lines[other], lines[line]);
                return string.Join('\n', lines);
            case 6:
                var from = good[random.Next(good.Length)];
                return from.Length == 0 ? text : text.Insert(at, from.Substring(random.Next(from.Length)));
            case 7:
                var bytes = Encoding.UTF8.GetBytes(text);
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                return Encoding.UTF8.GetString(bytes);
            case 8:
                return text.Insert(
                    at,
                    string.Concat(Enumerable.Repeat(Pieces[random.Next(Pieces.Length)], random.Next(1, 200)))
                );
            default:
                return text.Insert(at, Pieces[random.Next(Pieces.Length)]);
        }
    }
}
