using System.Runtime.InteropServices;
using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>Finds the native library that Confluent.Kafka calls. Thread-safe; found once in a process.</summary>
/// <remarks>
/// Looked for in this order: the file that the environment variable <c>PIPELINE_LIBRDKAFKA</c> names; next to the program; where the
/// package librdkafka.redist puts it; the cache folder that <c>.ci/install-librdkafka</c> fills; the system's
/// <c>librdkafka.so.1</c>. A library that lacks a function which the client calls (Debian 12's 2.0.2 lacks three) is passed over, since it
/// would fail in the middle of the work.
/// </remarks>
public static class KafkaLibrary
{
    /// <summary>The environment variable that names the library's file.</summary>
    public const string Variable = "PIPELINE_LIBRDKAFKA";

    private const string Mend =
        "Restore from a feed that has librdkafka.redist, or run .ci/install-librdkafka, or name a librdkafka of 2.1 or later in " + Variable + ".";

    /// <summary>The newest functions that Confluent.Kafka calls; a library that has them has the older ones too.</summary>
    private static readonly string[] NeededFunctions =
    [
        "rd_kafka_produceva", "rd_kafka_init_transactions", "rd_kafka_message_leader_epoch",
        "rd_kafka_topic_partition_get_leader_epoch", "rd_kafka_topic_partition_set_leader_epoch", "rd_kafka_ListOffsets",
    ];

    private static readonly Lazy<(IntPtr Handle, string Found)> Search = new(Find);

    // Only while the library is being looked for is the default search left to run, or it would ask this class again.
    [ThreadStatic]
    private static bool _searching;

    static KafkaLibrary() => NativeLibrary.SetDllImportResolver(
        typeof(Library).Assembly,
        (name, _, _) => _searching || !name.Contains("rdkafka", StringComparison.Ordinal) ? IntPtr.Zero : Search.Value.Handle);

    /// <summary>Loads the library, or finds it loaded. To be called before anything of Confluent.Kafka's is.</summary>
    /// <returns>The file or name that it was loaded from.</returns>
    /// <exception cref="DllNotFoundException">There is none that serves; the message lists what was tried and says how to mend it.</exception>
    public static string Load() => Search.Value.Found;

    internal static string CacheFolder
    {
        get
        {
            var cache = Environment.GetEnvironmentVariable("PIPELINE_CACHE");
            if (string.IsNullOrEmpty(cache))
            {
                var user = Environment.GetEnvironmentVariable("XDG_CACHE_HOME");
                if (string.IsNullOrEmpty(user))
                    user = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".cache");
                cache = Path.Combine(user, "pipeline");
            }

            var version = typeof(Library).Assembly.GetName().Version!;
            return Path.Combine(cache, "librdkafka", $"{version.Major}.{version.Minor}.{version.Build}");
        }
    }

    private static (IntPtr Handle, string Found) Find()
    {
        _searching = true;
        try
        {
            return FindFirst();
        }
        finally
        {
            _searching = false;
        }
    }

    private static (IntPtr Handle, string Found) FindFirst()
    {
        var faults = new List<string>();
        var named = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrEmpty(named))
        {
            // What a user names is used or refused, not passed over.
            return TryFile(named, faults, out var chosen)
                ? (chosen, named)
                : throw new DllNotFoundException($"{Variable} names {named}, which cannot be used: {string.Join("; ", faults)}.");
        }

        string[] files =
        [
            Path.Combine(AppContext.BaseDirectory, "librdkafka.so.1"),
            Path.Combine(AppContext.BaseDirectory, "librdkafka.so"),
            Path.Combine(AppContext.BaseDirectory, "librdkafka.dylib"),
        ];
        foreach (var file in files.Where(File.Exists))
        {
            if (TryFile(file, faults, out var handle)) return (handle, file);
        }

        if (NativeLibrary.TryLoad("librdkafka", typeof(Library).Assembly, null, out var packaged))
        {
            if (FindMissing(packaged) is not { } missing) return (packaged, "librdkafka.redist");
            faults.Add($"librdkafka, which lacks {missing}");
        }

        var cached = Path.Combine(CacheFolder, "librdkafka.so.1");
        if (!File.Exists(cached)) faults.Add($"{cached}, which is not there");
        else if (TryFile(cached, faults, out var handle)) return (handle, cached);

        return TryFile("librdkafka.so.1", faults, out var system)
            ? (system, "librdkafka.so.1")
            : throw new DllNotFoundException($"Kafka's native client library was not found. Tried: {string.Join("; ", faults)}. {Mend}");
    }

    private static bool TryFile(string file, List<string> faults, out IntPtr handle)
    {
        if (!NativeLibrary.TryLoad(file, out handle))
        {
            faults.Add($"{file}, which cannot be loaded");
            return false;
        }

        if (FindMissing(handle) is not { } missing) return true;
        faults.Add($"{file}, which is older than 2.1 (it lacks {missing})");
        NativeLibrary.Free(handle);
        handle = IntPtr.Zero;
        return false;
    }

    private static string? FindMissing(IntPtr handle) => Array.Find(NeededFunctions, f => !NativeLibrary.TryGetExport(handle, f, out _));
}
