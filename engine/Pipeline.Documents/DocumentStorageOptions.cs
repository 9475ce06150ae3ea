using Microsoft.Extensions.Logging;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>Where documents lie and the limits of their storage. Read once, at opening.</summary>
public abstract record DocumentStorageOptions
{
    /// <summary>The name, for people and logs.</summary>
    public string Name { get; init; } = "database";

    /// <summary>The data folder, created where missing; null keeps everything in memory, gone at disposal.</summary>
    public string? Path { get; init; }

    /// <summary>The files; null uses real files if <see cref="Path"/> is set, otherwise memory.</summary>
    public IStorageFiles? Files { get; init; }

    /// <summary>The clock, for <c>@last-modified</c>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Where to log; null logs nothing.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>
    /// Makes the GUIDs of documents stored without an id, and of the database itself; null makes them of time and
    /// chance.
    /// </summary>
    public Func<Guid>? NewGuid { get; init; }

    /// <summary>How large and how deep a document may be. Default: 64 MiB of text, 128 levels.</summary>
    public JsonLimits DocumentLimits { get; init; } = JsonLimits.Default;

    /// <summary>The most bytes of an attachment. Default 1 GiB.</summary>
    public long MaxAttachmentBytes { get; init; } = 1024L * 1024 * 1024;

    /// <summary>The most collections. Default 10,000.</summary>
    public int MaxCollections { get; init; } = 10_000;

    /// <summary>
    /// Whether documents are stored compressed, with a dictionary for each collection. This takes about a third of the
    /// space, and costs some 2 us per document written and 0.6 us per document read. Applies to new writes; existing
    /// documents stay readable either way. Needs the system's libzstd.
    /// </summary>
    public bool Compress { get; init; }

    /// <summary>
    /// Whether a document keeps the trace that it was written in: the W3C <c>traceparent</c> of
    /// <see cref="System.Diagnostics.Activity.Current"/> at the call. It is stored in the metadata as
    /// <c>traceparent</c>, and ETL tasks pass it on. Off by default, because it is visible in documents. Without a
    /// current activity nothing is added and it costs nothing.
    /// </summary>
    public bool KeepTraces { get; init; }

    /// <summary>
    /// Which versions of documents are kept; the database stores the setting. Null keeps the stored setting; a new
    /// database keeps no versions.
    /// </summary>
    public RevisionConfiguration? Revisions { get; init; }

    /// <summary>
    /// Whether the database acts on times in the metadata of documents; it stores the setting. Null keeps the stored
    /// setting; a new database does not act.
    /// </summary>
    public ExpirationConfiguration? Expiration { get; init; }

    /// <summary>
    /// How often tombstones that all consumers have passed are purged (<see cref="DatabaseConsumers.PurgeAsync"/>).
    /// Default 5 min; zero disables it.
    /// </summary>
    public TimeSpan TombstonePurgeInterval { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How events are kept.</summary>
    public Events.EventOptions Events { get; init; } = new();

    /// <summary>The limits of the storage below; its path, files, clock and log are taken from here.</summary>
    public StorageOptions Storage { get; init; } = new();
}
