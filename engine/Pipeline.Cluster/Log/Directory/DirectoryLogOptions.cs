namespace Pipeline.Cluster;

/// <summary>Options of <see cref="DirectoryLog"/>.</summary>
public sealed class DirectoryLogOptions
{
    /// <summary>
    /// The longest record in bytes. All processes must use the same value. 900,000 by default, which a Kafka topic with
    /// default settings accepts.
    /// </summary>
    public int MaxRecordBytes { get; init; } = 900_000;

    /// <summary>The size in bytes from which a new file is begun. 64 MiB by default.</summary>
    public long SegmentBytes { get; init; } = 64L << 20;

    /// <summary>How long an append waits for another process before its outcome is unknown. 10 s by default.</summary>
    public TimeSpan LockTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How often a waiting reader or appender polls. 2 ms by default.</summary>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(2);

    /// <summary>The clock of the waits.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Runs between the steps of an append; a test ends the process there or throws.</summary>
    internal Action<DirectoryLogStep>? AtStep { get; init; }

    /// <summary>The id of this machine; a test can pretend to be another one.</summary>
    internal string? Machine { get; init; }

    /// <summary>The name of the file system's type; a test can pretend another one.</summary>
    internal Func<string, string>? FileSystem { get; init; }
}
