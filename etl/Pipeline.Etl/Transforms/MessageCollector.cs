using System.Diagnostics;
using System.Globalization;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Transforms;

/// <summary>
/// Turns what a transform sends into messages, and removes those of a document that failed. Used by one thread at a
/// time.
/// </summary>
internal sealed class MessageCollector : IScriptOutput
{
    /// <summary>
    /// Bytes of bodies that one document may always send. If a task allows more in one body, that limit also applies to
    /// all bodies together.
    /// </summary>
    public const long BytesPerDocument = 64L << 20;

    private const string Limit = "bytes of all messages of one document (64MiB, or limits.bodyBytes if that is more)";
    private readonly string _task;
    private readonly string _databaseId;
    private readonly Func<DatabaseLineages> _lineages;
    private readonly string _idPrefix;
    private readonly string _source;
    private readonly string? _type;
    private readonly bool _tombstones;
    private readonly long _maxBytes;
    private readonly IReadOnlyDictionary<string, DestinationConfiguration> _destinations;
    private MessageBuffer _batch = null!;
    private FeedChange _change;
    private int _first;
    private long _bytes;
    private string? _trace;
    private (string Lineage, string Prefix) _later = ("", "");

    /// <summary>Whether the current document is resent because another document has changed.</summary>
    public bool IsResend { get; set; }

    /// <summary>Makes one for a task.</summary>
    public MessageCollector(
        EtlTaskConfiguration task,
        string databaseId,
        string databaseName,
        Func<DatabaseLineages>? lineages = null
    )
    {
        _task = task.Name;
        _databaseId = databaseId;
        _lineages = lineages ?? (static () => DatabaseLineages.Initial);
        _idPrefix = $"{databaseId}/{task.Name}/";
        _source = task.Source ?? $"/databases/{databaseName}/etl/{task.Name}";
        _type = task.Type;
        _tombstones = task.OnDelete == DeletePolicy.Tombstone;
        _destinations = task.Destinations;
        _maxBytes = Math.Max(BytesPerDocument, task.Limits.BodyBytes);
    }

    /// <summary>The number of messages that the current change has sent.</summary>
    public int Count => _batch.Messages.Count - _first;

    public void Begin(MessageBuffer batch, in FeedChange change)
    {
        (_batch, _change) = (batch, change);
        _first = batch.Messages.Count;
        _bytes = 0;
        _trace = null;
        if (change.Document.IsDeleted || change.Document.Body.IsEmpty)
            return;
        if (
            change.Document.Body.Root.TryGetProperty("@metadata"u8, out var metadata)
            && metadata.Kind == JsonKind.Object
            && metadata.TryGetProperty("traceparent"u8, out var trace)
            && trace.TryGetString(out var parent)
        )
        {
            _trace = Continue(parent);
        }
    }

    /// <summary>
    /// Continues the trace of the write. If there is a listener, the transform adds a span; otherwise the parent is
    /// passed on unchanged.
    /// </summary>
    private string? Continue(string parent)
    {
        if (!ActivityContext.TryParse(parent, null, isRemote: true, out var context))
            return null;
        using var activity = EtlTelemetry.Activities.StartActivity("etl message", ActivityKind.Producer, context);
        if (activity is null)
            return parent;
        activity.SetTag(EtlTelemetry.TaskTag, _task);
        activity.SetTag("pipeline.document.id", _change.Document.Id);
        return activity.Id;
    }

    /// <summary>Keeps the messages of the change.</summary>
    public void Keep() => _batch.Bytes += _bytes;

    /// <summary>
    /// Keeps only one message of the change. Does nothing if the change has no message with that number.
    /// </summary>
    public void KeepOnly(int ordinal)
    {
        if (ordinal < 0 || ordinal >= Count)
            return;
        var only = _batch.Messages[_first + ordinal];
        _batch.Messages.RemoveRange(_first, Count);
        _batch.Messages.Add(only);
    }

    /// <summary>Drops what the change has sent.</summary>
    public void TakeBack() => _batch.Messages.RemoveRange(_first, Count);

    /// <inheritdoc/>
    public void Send(in ScriptMessage message)
    {
        _bytes += message.Body.Length;
        if (_bytes > _maxBytes)
            throw new ScriptLimitException(Limit, _maxBytes.ToString(CultureInfo.InvariantCulture));

        var document = _change.Document;
        var isTombstone = _tombstones && document.IsDeleted;
        _batch.Messages.Add(
            new OutgoingMessage
            {
                Destination = message.Destination,
                Id = message.Id ?? NextId(),
                Source = message.Source ?? _source,
                Type =
                    message.Type
                    ?? _type
                    ?? (document.IsDeleted ? "pipeline.document.delete" : "pipeline.document.put"),
                Subject = document.Id,
                Time = document.LastModified,
                Key = message.Key ?? (isTombstone ? document.Id : null),
                Body = isTombstone ? default : _batch.Arena.Copy(message.Body),
                Position = _change.Position,
                DocumentPosition = IsResend ? document.Version.Position : _change.Position,
                Options = _destinations.Count == 0 ? null : _destinations.GetValueOrDefault(message.Destination),
                TraceParent = _trace,
                Collection = document.Collection,
                IsDeletion = document.IsDeleted,
            }
        );
    }

    // The number counts all messages of the document, so that an explicit id of one message does not change the ids of
    // the others.
    private string NextId()
    {
        var lineages = _lineages();
        var prefix = lineages.IsInitial ? _idPrefix : PrefixOf(lineages.At(_change.Position));
        return IsResend
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"{prefix}{_change.Position}.{_change.Document.Version.Position}/{Count}"
            )
            : string.Create(CultureInfo.InvariantCulture, $"{prefix}{_change.Position}/{Count}");
    }

    // The lineage is that of the change, so a change from before a restore keeps its ids.
    private string PrefixOf(DatabaseLineage lineage)
    {
        if (lineage.Id.Length == 0)
            return _idPrefix;
        if (_later.Lineage != lineage.Id)
            _later = (lineage.Id, $"{_databaseId}.{lineage.Id}/{_task}/");
        return _later.Prefix;
    }
}
