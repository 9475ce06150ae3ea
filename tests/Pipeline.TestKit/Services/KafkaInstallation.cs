using System.Diagnostics;
using Pipeline.TestKit.Files;

namespace Pipeline.TestKit.Services;

/// <summary>The programs of an Apache Kafka that is installed on this machine.</summary>
internal sealed class KafkaInstallation
{
    private const string Logging = """
        rootLogger.level=error
        rootLogger.appenderRefs=out
        rootLogger.appenderRef.out.ref=out
        appender.out.type=Console
        appender.out.name=out
        appender.out.layout.type=PatternLayout
        appender.out.layout.pattern=%d %p %c: %m%n
        """;

    /// <summary>
    /// A broker of a test lives for seconds. Its second compiler would take a third of the processor time of its start.
    /// </summary>
    private const string OneCompiler = "-XX:TieredStopAtLevel=1";
    private const string Checkpoint = "bootstrap.checkpoint";
    private static byte[]? _bootstrap;
    private readonly string _java;
    private readonly string _jars;

    private KafkaInstallation(string java, string jars) => (_java, _jars) = (java, jars);

    /// <summary>Where it is, for messages.</summary>
    public string Origin => $"Kafka of {Path.GetDirectoryName(_jars)}";

    /// <summary>Finds it.</summary>
    /// <exception cref="ServiceMissingException">It is not installed, or Java is not.</exception>
    public static KafkaInstallation Find()
    {
        var home = Environment.GetEnvironmentVariable("KAFKA_HOME");
        string[] folders =
        [
            .. string.IsNullOrEmpty(home) ? [] : new[] { home },
            Path.GetFullPath("../shared/kafka", RepositoryTree.Root),
        ];
        var found =
            folders.Select(f => Path.Combine(f, "libs")).FirstOrDefault(Directory.Exists)
            ?? throw new ServiceMissingException(
                string.IsNullOrEmpty(home)
                    ? "KAFKA_HOME names no installation"
                    : $"KAFKA_HOME has no folder {Path.Combine(home, "libs")}"
            );
        var java = LocalInstallation.FindProgram("java") ?? throw new ServiceMissingException("java is not in PATH");
        return new KafkaInstallation(java, Path.Combine(found, "*"));
    }

    /// <summary>A new id for a cluster of brokers, or for a folder of one.</summary>
    public static string NewId() =>
        Convert.ToBase64String(Guid.NewGuid().ToByteArray()).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    /// <summary>
    /// Prepares the empty folders of a broker. Kafka's tool does so for the first broker of a process and takes 0.8 s of
    /// processor time. The files of the others differ from these only in their ids, and are written here.
    /// </summary>
    public async Task FormatAsync(string properties, string clusterId)
    {
        var lines = await File.ReadAllLinesAsync(properties);
        string Of(string name) =>
            lines.First(l => l.StartsWith(name + '=', StringComparison.Ordinal))[(name.Length + 1)..];
        string[] folders = [Of("log.dirs"), Of("metadata.log.dir")];
        if (_bootstrap is not { } bootstrap)
        {
            await FormatByToolAsync(properties, clusterId);
            _bootstrap = await File.ReadAllBytesAsync(Path.Combine(folders[1], Checkpoint));
            return;
        }
        foreach (var folder in folders)
        {
            Directory.CreateDirectory(folder);
            await File.WriteAllTextAsync(
                Path.Combine(folder, "meta.properties"),
                $"version=1\nnode.id={Of("node.id")}\ncluster.id={clusterId}\ndirectory.id={NewId()}\n"
            );
            await File.WriteAllBytesAsync(Path.Combine(folder, Checkpoint), bootstrap);
        }
    }

    private async Task FormatByToolAsync(string properties, string clusterId)
    {
        using var process = Process.Start(
            new ProcessStartInfo(
                _java,
                [
                    .. Common(properties),
                    "kafka.tools.StorageTool",
                    "format",
                    $"--cluster-id={clusterId}",
                    "-c",
                    properties,
                ]
            )
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            }
        )!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException(
                $"{Origin}: format of {properties} ended with {process.ExitCode}: {error}{await output}"
            );
        }
    }

    /// <summary>The command of a broker.</summary>
    public ProcessStartInfo Broker(string properties) =>
        new(_java, ["-Xms128m", "-Xmx384m", .. Common(properties), "kafka.Kafka", properties]);

    private string[] Common(string properties)
    {
        var logging = Path.Combine(Path.GetDirectoryName(properties)!, "log4j2.properties");
        if (!File.Exists(logging))
            File.WriteAllText(logging, Logging);
        var archive = Path.Combine(LocalInstallation.Cache, "kafka.jsa");
        return
        [
            // Classes that .ci/archive-kafka has read and checked. Where they are another Kafka's or Java's, Java says
            // nothing and reads its own.
            .. File.Exists(archive)
                ? new[] { $"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:class+path=off" }
                : [],
            "-XX:+UseSerialGC",
            OneCompiler,
            $"-Dlog4j2.configurationFile={logging}",
            "-cp",
            _jars,
        ];
    }
}
