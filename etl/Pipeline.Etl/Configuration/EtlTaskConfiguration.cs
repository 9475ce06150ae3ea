using System.Security.Cryptography;
using System.Text;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>One entry of <c>etl</c>: documents of some collections, through a transform, to a connection.</summary>
public sealed class EtlTaskConfiguration
{
    /// <summary>
    /// In <see cref="From"/>: the documents of every collection whose name does not begin with <c>@</c>, dead letters
    /// aside.
    /// </summary>
    public const string AllDocuments = "@all_docs";

    private ScriptText _transform = new("");
    private string? _scriptVersion;

    /// <summary>The task's name.</summary>
    [Setting(
        "Name of the task: letters, digits, '-', '_' and '.', at most 64. Its progress is kept under this name.",
        Required = true
    )]
    public string Name { get; init; } = "";

    /// <summary>The collections.</summary>
    [Setting("Collections whose documents the task reads, or '@all_docs' alone for all of them.", Required = true)]
    public IReadOnlyList<string> From { get; init; } = [];

    /// <summary>The connection's name.</summary>
    [Setting("Name of the connection that its messages go to.", Required = true)]
    public string To { get; init; } = "";

    /// <summary>The transform.</summary>
    [Setting(
        "C# statements that run for each changed document. They see 'doc', 'id', 'metadata', 'load(id)', 'loadAttachment(name)' and 'send(destination, body, key:, id:, type:, source:)'. Variables are not expanded in it.",
        ConflictsWith = ["class"]
    )]
    public ScriptText Transform
    {
        get => _transform;
        init => _transform = value;
    }

    /// <summary>The transform as a class of the program.</summary>
    [Setting(
        "Name of a transform class, in place of 'transform': a class of your program that implements IEtlTransform<T>. The program registers it with AddEtlTransform<…>() or in a TransformCatalog. The 'pipeline' tool does not have the class and cannot run the task.",
        ConflictsWith = ["transform", "language"]
    )]
    public string? Class { get; init; }

    /// <summary>The language of the transform.</summary>
    [Setting(
        "Language of the transform. javascript means strict JavaScript with RavenDB's names. It has 'this', 'id(this)', 'getMetadata(this)', 'load(id)', 'loadAttachment(name)', 'isDeleted' and 'collection'. It sends with 'loadTo<Destination>(object, { Id, Type, Source, PartitionKey, RoutingKey })' or 'loadTo(destination, object, …)'. It cannot call the C# helpers.",
        ConflictsWith = ["class"]
    )]
    public ScriptLanguage Language { get; init; }

    /// <summary>Whether deleted documents reach the transform.</summary>
    [Setting(
        "Whether the transform also gets deleted documents; their body is empty.",
        Deprecated = "write 'onDelete: event'",
        ConflictsWith = ["onDelete"]
    )]
    public bool Deletes { get; init; }

    /// <summary>What a deletion does.</summary>
    [Setting(
        "What a deletion does. nothing: it is skipped. event: the transform runs with 'isDeleted' and an empty 'doc'. tombstone: as event, but messages have no body, and their key is the document's id unless the transform gives one. Kafka's compaction then removes the key.",
        ConflictsWith = ["deletes"]
    )]
    public DeletePolicy OnDelete { get; init; }

    /// <summary>Whether the task is paused.</summary>
    [Setting("Whether the task is paused; it keeps its position.")]
    public bool Disabled { get; init; }

    /// <summary>The CloudEvents type of messages for which the transform gives none.</summary>
    [Setting(
        "CloudEvents 'type' of messages for which the transform gives none; by default 'pipeline.document.put' and 'pipeline.document.delete'."
    )]
    public string? Type { get; init; }

    /// <summary>The CloudEvents source of messages for which the transform gives none.</summary>
    [Setting(
        "CloudEvents 'source' of messages for which the transform gives none; by default '/databases/<name>/etl/<task>'."
    )]
    public string? Source { get; init; }

    /// <summary>More options of messages, by destination.</summary>
    [Setting(
        "More options of messages, by destination: partition, headers, ttl, delay, dedup. An option that the connector does not support is a fault."
    )]
    public IReadOnlyDictionary<string, DestinationConfiguration> Destinations { get; init; } =
        new Dictionary<string, DestinationConfiguration>();

    /// <summary>Whether documents are deleted once they are sent.</summary>
    [Setting(
        "Whether to delete a document once all its messages are confirmed, for collections that serve as an outbox. A document that has changed since, or that sent no message, is kept."
    )]
    public bool DeleteAfterSend { get; init; }

    /// <summary>Whether a document is sent again when another one changes.</summary>
    [Setting(
        "When a document is sent again although it has not changed. load: when a document that the transform loaded for it is created, changed or deleted. The database records these loads from the first run with this key. 'pipeline replay' records them for documents that were sent before. Not with deleteAfterSend."
    )]
    public DependencyPolicy DependsOn { get; init; }

    /// <summary>How far the task may lag before the health is degraded.</summary>
    [Setting("How far the task may lag behind: a duration such as 7d, or a mapping.")]
    public LagConfiguration? MaxLag { get; init; }

    /// <summary>What happens when the task lags further.</summary>
    [Setting(
        "What happens when the task lags more than maxLag. keep: all changes are kept, and the health is degraded. pause-and-resync: no further changes are kept; the task sends all documents again once its target accepts messages. drop: the task stops, no further changes are kept, and the next start sends all documents again."
    )]
    public LagAction Then { get; init; }

    /// <summary>How many documents are transformed at once.</summary>
    [Setting(
        "How many documents of a batch are transformed at once; messages still keep the order of the changes. Default: the number of processors, at most eight. Not with 'dependsOn: load', which takes one document at a time.",
        Minimum = 1,
        Maximum = 64
    )]
    public int? Parallel { get; init; }

    /// <summary>Sizes of batches.</summary>
    [Setting("Sizes of batches.")]
    public BatchConfiguration Batch { get; init; } = new();

    /// <summary>Waits after errors.</summary>
    [Setting("Waits after errors of the target.")]
    public RetryConfiguration Retry { get; init; } = new();

    /// <summary>What happens to permanent failures.</summary>
    [Setting(
        "What happens when the transform fails on a document, or the target refuses a message for good. park: it becomes a dead letter and the task continues. park-key: as park, and later changes of the same key wait behind it until it is retried or dropped, which keeps their order; the key is the message's, or the document's id. skip: it is left out, counted and logged. stop: the task stops before it and retries after each 'retry.failedDelay'."
    )]
    public ErrorPolicy OnError { get; init; }

    /// <summary>Limits of one run.</summary>
    [Setting("Limits of one run of the transform. A document whose run exceeds a limit becomes a dead letter.")]
    public LimitsConfiguration Limits { get; init; } = new();

    /// <summary>
    /// The cases of <c>pipeline test</c>; those of <see cref="TestFiles"/> come after them once they are read.
    /// </summary>
    [Setting("Cases that 'pipeline test' runs: documents, and the messages that the transform must send for them.")]
    public IReadOnlyList<TestCaseConfiguration> Tests { get; internal set; } = [];

    /// <summary>Files of more cases.</summary>
    [Setting("Files that hold lists of more cases, relative to this file. 'pipeline run' does not read them.")]
    public IReadOnlyList<string> TestFiles { get; init; } = [];

    /// <summary>The configuration's helpers, by name.</summary>
    internal IReadOnlyDictionary<string, ScriptText> Helpers { get; set; } = new Dictionary<string, ScriptText>();

    /// <summary>The program's classes; <see langword="null"/> where no program gave any.</summary>
    internal TransformCatalog? Classes { get; set; }

    /// <summary>Where the file names the class.</summary>
    internal (string File, int Line, int Column) ClassPlace { get; set; }

    /// <summary>
    /// Identifies this version of the transform and its helpers: 16 hexadecimal digits of a hash of their text.
    /// </summary>
    internal string ScriptVersion => _scriptVersion ??= Hash();

    /// <summary>The same task with another script in place of its transform.</summary>
    internal EtlTaskConfiguration WithScript(ScriptText script)
    {
        var copy = (EtlTaskConfiguration)MemberwiseClone();
        copy._transform = script;
        copy._scriptVersion = null;
        return copy;
    }

    /// <summary>
    /// The place in the file that a run-time error came from, or <see langword="null"/> if it is unknown.
    /// </summary>
    internal (string File, int Line, int Column)? Locate(ScriptRuntimeException error)
    {
        var text = error.ScriptSource is null ? Transform : Helpers.GetValueOrDefault(error.ScriptSource);
        if (text is null || error.Line <= 0)
            return null;
        (var line, var column) = text.Locate(error.Line, Math.Max(error.Column, 1));
        return (text.File, line, column);
    }

    /// <summary>How many documents are transformed at once, with the default resolved.</summary>
    internal int MaxParallelRuns =>
        DependsOn == DependencyPolicy.Load ? 1 : Parallel ?? Math.Min(Environment.ProcessorCount, 8);

    /// <summary>Its maximum lag and what to do beyond it, or <see langword="null"/> if none is configured.</summary>
    internal LagPolicy? LagPolicy =>
        MaxLag is null && Then == LagAction.Keep ? null : (MaxLag ?? new LagConfiguration()).ToPolicy(Then);

    /// <summary>Which changes it takes.</summary>
    internal CursorFilter ToFilter()
    {
        var deletes = Deletes || OnDelete != DeletePolicy.Nothing;
        return From.Contains(AllDocuments)
            ? new CursorFilter(null, deletes, [DeadLetter.Collection])
            : new CursorFilter(From, deletes);
    }

    /// <summary>
    /// Which changes the task must read to find those that it takes. With <see cref="DependencyPolicy.Load"/> these are
    /// all changes, since any document may be loaded.
    /// </summary>
    internal CursorFilter ToFeedFilter() =>
        DependsOn == DependencyPolicy.Load ? new CursorFilter(null, true, [DeadLetter.Collection]) : ToFilter();

    private string Hash()
    {
        var own =
            Class is null ? Transform.Text
            : Classes?.TryFind(Class, out var known) == true ? known.Version
            : Class;
        var text =
            own
            + "\0"
            + string.Join(
                '\0',
                Helpers.OrderBy(h => h.Key, StringComparer.Ordinal).Select(h => h.Key + "\0" + h.Value.Text)
            );
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 8));
    }
}
