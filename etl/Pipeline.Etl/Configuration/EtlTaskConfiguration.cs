using System.Security.Cryptography;
using System.Text;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Configuration;

/// <summary>One entry of <c>etl</c>: documents of some collections, through a transform, to a connection.</summary>
public sealed class EtlTaskConfiguration
{
    /// <summary>In <see cref="From"/>: the documents of every collection whose name does not begin with <c>@</c>, dead letters aside.</summary>
    public const string AllDocuments = "@all_docs";

    /// <summary>The task's name.</summary>
    [Setting("Name of the task: letters, digits, '-', '_' and '.', at most 64. Its progress is kept under this name.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>The collections.</summary>
    [Setting("Collections whose documents it takes, or '@all_docs' alone for all of them.", Required = true)]
    public IReadOnlyList<string> From { get; init; } = [];

    /// <summary>The connection's name.</summary>
    [Setting("Name of the connection that its messages go to.", Required = true)]
    public string To { get; init; } = "";

    /// <summary>The transform.</summary>
    [Setting("C# statements, run for each changed document, with 'doc', 'id', 'metadata', 'load(id)', 'loadAttachment(name)' and 'send(destination, body, key:, id:, type:, source:)'. Variables are not put into it.", ConflictsWith = ["class"])]
    public ScriptText Transform { get; init; } = new("");

    /// <summary>The transform as a class of the program.</summary>
    [Setting("Name of the transform instead of its text: a class of your program that implements IEtlTransform<T>. The program registers it with AddEtlTransform<…>() or in a TransformCatalog. The 'pipeline' tool does not have it and cannot run the task.", ConflictsWith = ["transform", "language"])]
    public string? Class { get; init; }

    /// <summary>The language of the transform.</summary>
    [Setting("Language of the transform. javascript: strict JavaScript with RavenDB's names: 'this', 'id(this)', 'getMetadata(this)', 'load(id)', 'loadAttachment(name)', and 'loadTo<Destination>(object, { Id, Type, Source, PartitionKey, RoutingKey })', or 'loadTo(destination, object, …)'; 'isDeleted' and 'collection' besides. Helpers are C# and not seen by it.", ConflictsWith = ["class"])]
    public ScriptLanguage Language { get; init; }

    /// <summary>Whether deleted documents reach the transform.</summary>
    [Setting("Whether the transform also gets deleted documents; their body is empty.", Deprecated = "write 'onDelete: event'", ConflictsWith = ["onDelete"])]
    public bool Deletes { get; init; }

    /// <summary>What is done about deleted documents.</summary>
    [Setting("What deleted documents do: nothing; event: the transform runs with 'isDeleted' and an empty 'doc'; tombstone: as event, and its messages have no body and, unless it gives another, the document's id as key, which Kafka's compaction takes as the removal of that key.", ConflictsWith = ["deletes"])]
    public DeletePolicy OnDelete { get; init; }

    /// <summary>Whether the task rests.</summary>
    [Setting("Whether the task rests; it keeps its position.")]
    public bool Disabled { get; init; }

    /// <summary>The CloudEvents type of messages for which the transform gives none.</summary>
    [Setting("CloudEvents 'type' where the transform gives none; by default 'pipeline.document.put' and 'pipeline.document.delete'.")]
    public string? Type { get; init; }

    /// <summary>The CloudEvents source of messages for which the transform gives none.</summary>
    [Setting("CloudEvents 'source' where the transform gives none; by default '/databases/<name>/etl/<task>'.")]
    public string? Source { get; init; }

    /// <summary>What messages to a destination have besides, by its name.</summary>
    [Setting("What messages to a destination have besides, by its name: partition, headers, ttl, delay, dedup. What its kind of connector cannot do is refused.")]
    public IReadOnlyDictionary<string, DestinationConfiguration> Destinations { get; init; } = new Dictionary<string, DestinationConfiguration>();

    /// <summary>Whether documents go when they are sent.</summary>
    [Setting("Whether a document is deleted once all its messages are confirmed, unless it has changed meanwhile or sent none: for collections that are an outbox.")]
    public bool DeleteAfterSend { get; init; }

    /// <summary>Whether a document is sent again when another one changes.</summary>
    [Setting("When a document is sent again although it has not changed itself. load: when a document changes, appears or goes that the transform loaded for it. What was loaded is kept in the database from the first run with this key on; 'pipeline replay' makes it known for documents that were sent before. Not with deleteAfterSend.")]
    public DependencyPolicy DependsOn { get; init; }

    /// <summary>How far it may be behind before the health is degraded.</summary>
    [Setting("How far it may be behind: a duration such as 7d, or a mapping.")]
    public LagConfiguration? MaxLag { get; init; }

    /// <summary>What is done when it is further behind.</summary>
    [Setting("What is done when it is further behind than maxLag: keep everything and show degraded health (keep); keep nothing more for it and send all documents anew once its target takes messages (pause-and-resync); stop it, keep nothing more for it, and begin so at the next start (drop).")]
    public LagAction Then { get; init; }

    /// <summary>How many documents the transform is run over at once.</summary>
    [Setting("How many documents of a batch the transform is run over at once; messages keep the order of their documents' changes all the same. As many as there are processors, at most eight, where not given. Not with 'dependsOn: load', which takes one after the other.", Minimum = 1, Maximum = 64)]
    public int? Parallel { get; init; }

    /// <summary>Sizes of batches.</summary>
    [Setting("How much goes at once.")]
    public BatchConfiguration Batch { get; init; } = new();

    /// <summary>Waits after errors.</summary>
    [Setting("How long it waits after errors of the target.")]
    public RetryConfiguration Retry { get; init; } = new();

    /// <summary>What is done about what fails for good.</summary>
    [Setting("What is done about a document that the transform fails on, and a message that the target will never take: park: it becomes a dead letter and the task goes on; park-key: as park, and later changes of the same key (the message's, else the document) are parked behind it until it is retried or dropped, so that their order holds; skip: it is left out, counted and logged; stop: the task stops before it and tries again each 'retry.failedDelay'.")]
    public ErrorPolicy OnError { get; init; }

    /// <summary>Limits of one run.</summary>
    [Setting("What one run of the transform may use; a document whose run goes over one becomes a dead letter.")]
    public LimitsConfiguration Limits { get; init; } = new();

    /// <summary>The cases of <c>pipeline test</c>; those of <see cref="TestFiles"/> come after them once they are read.</summary>
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

    /// <summary>Identifies this version of the transform and its helpers: 16 hexadecimal digits of a hash of their text.</summary>
    internal string ScriptVersion => field ??= Hash();

    /// <summary>The place in the file that a run-time error came from, or <see langword="null"/> if it is unknown.</summary>
    internal (string File, int Line, int Column)? Locate(ScriptRuntimeException error)
    {
        ScriptText? text = error.ScriptSource is null ? Transform : Helpers.GetValueOrDefault(error.ScriptSource);
        if (text is null || error.Line <= 0) return null;
        (int line, int column) = text.Locate(error.Line, Math.Max(error.Column, 1));
        return (text.File, line, column);
    }

    /// <summary>How many documents the transform is run over at once, in fact.</summary>
    internal int MostParallel => DependsOn == DependencyPolicy.Load ? 1 : Parallel ?? Math.Min(Environment.ProcessorCount, 8);

    /// <summary>Its maximum lag and what to do beyond it, or <see langword="null"/> if none is configured.</summary>
    internal LagPolicy? LagPolicy => MaxLag is null && Then == LagAction.Keep ? null : (MaxLag ?? new LagConfiguration()).ToPolicy(Then);

    /// <summary>Which changes it takes.</summary>
    internal CursorFilter ToFilter()
    {
        bool deletes = Deletes || OnDelete != DeletePolicy.Nothing;
        return From.Contains(AllDocuments) ? new CursorFilter(null, deletes, [DeadLetterWriter.Collection]) : new CursorFilter(From, deletes);
    }

    /// <summary>Which changes it has to see to take those: with <see cref="DependencyPolicy.Load"/> all of them, since any document may be loaded.</summary>
    internal CursorFilter ToFeedFilter() => DependsOn == DependencyPolicy.Load ? new CursorFilter(null, true, [DeadLetterWriter.Collection]) : ToFilter();

    private string Hash()
    {
        string own = Class is null ? Transform.Text : Classes?.TryFind(Class, out ClassTransform? known) == true ? known.Version : Class;
        string text = own + "\0" + string.Join('\0', Helpers.OrderBy(h => h.Key, StringComparer.Ordinal).Select(h => h.Key + "\0" + h.Value.Text));
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 8));
    }
}
