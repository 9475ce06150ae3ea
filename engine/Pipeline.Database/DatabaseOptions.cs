using Microsoft.Extensions.Logging;
using Pipeline.Database.Json;
using Pipeline.Storage;

namespace Pipeline.Database;

/// <summary>Where a database lies and the limits it keeps. Read once, at opening.</summary>
public sealed record DatabaseOptions
{
    /// <summary>The name, for people and logs.</summary>
    public string Name { get; init; } = "database";

    /// <summary>The data folder, created where missing; null keeps everything in memory, gone at disposal.</summary>
    public string? Path { get; init; }

    /// <summary>The files; null is real files where there is a <see cref="Path"/>, else memory.</summary>
    public IStorageFiles? Files { get; init; }

    /// <summary>The clock, for <c>@last-modified</c>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Where to log; null logs nothing.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>Makes the GUIDs of documents stored without an id, and of the database itself; null makes them of time and chance.</summary>
    public Func<Guid>? NewGuid { get; init; }

    /// <summary>How large and how deep a document may be. Default: 64 MiB of text, 128 levels.</summary>
    public JsonLimits DocumentLimits { get; init; } = JsonLimits.Default;

    /// <summary>The most bytes of an attachment. Default 1 GiB.</summary>
    public long MaxAttachmentBytes { get; init; } = 1024L * 1024 * 1024;

    /// <summary>The most collections. Default 10,000.</summary>
    public int MaxCollections { get; init; } = 10_000;

    /// <summary>
    /// Whether documents are stored compressed, with a dictionary for each collection: about a third of the space, for some 2 us a document written and
    /// 0.6 us read. Holds for what is written from now on; what is there stays readable either way. Needs the system's libzstd.
    /// </summary>
    public bool Compress { get; init; }

    /// <summary>
    /// Whether a document keeps the trace that it was written in: the W3C <c>traceparent</c> of <see cref="System.Diagnostics.Activity.Current"/> at the call, in its metadata as <c>traceparent</c>, from
    /// where ETL tasks hand it on. Off by default, since it is visible in documents; where no activity is current nothing is added and nothing costs.
    /// </summary>
    public bool KeepTraces { get; init; }

    /// <summary>Which versions of documents are kept; the database remembers it. Null goes on with what it remembers, at first nothing.</summary>
    public RevisionConfiguration? Revisions { get; init; }

    /// <summary>Whether times in the metadata of documents are acted on; the database remembers it. Null goes on with what it remembers, at first not.</summary>
    public ExpirationConfiguration? Expiration { get; init; }

    /// <summary>How often the tombstones that all consumers have passed are purged (<see cref="DatabaseConsumers.PurgeAsync"/>). Default 5 min; zero never does by itself.</summary>
    public TimeSpan TombstonePurgeInterval { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How events are kept.</summary>
    public Events.EventOptions Events { get; init; } = new();

    /// <summary>
    /// How long a query waits, unless it says otherwise, until its index shows all earlier writes. So callers find what they have just written.
    /// After that time the result says that it is stale. Default 15 s; zero does not wait.
    /// </summary>
    public TimeSpan QueryWait { get; init; } = Queries.Catalog.IndexWait.DefaultTimeout;

    /// <summary>What indexing may use.</summary>
    public Indexes.IndexingOptions Indexing { get; init; } = new();

    /// <summary>The limits of the storage below; its path, files, clock and log are taken from here.</summary>
    public StorageOptions Storage { get; init; } = new();
}
