using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Client.Conventions;
using Pipeline.Client.Documents;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>An object that a session tracks, with its state at the last load or save.</summary>
internal sealed class TrackedDocument(object entity, DocumentModel model)
{
    private static readonly string[] NotStored =
    [
        "@id",
        "@change-vector",
        "@last-modified",
        "@flags",
        "@attachments",
        "@projection",
        "@index-score",
        "@collection",
    ];
    private ReadOnlyMemory<byte> _stored,
        _loaded;
    private DocumentData? _data;
    private string? _changeVector;
    private DateTimeOffset? _lastModified;
    private JsonObject? _metadata;
    private string? _metadataBefore;

    /// <summary>The object.</summary>
    public object Entity { get; } = entity;

    /// <summary>How it is stored.</summary>
    public DocumentModel Model { get; } = model;

    /// <summary>The id; <see langword="null"/> until it has one.</summary>
    public string? Id { get; set; }

    /// <summary>The version that was loaded or saved.</summary>
    public string? ChangeVector => _changeVector ?? _data?.ChangeVector;

    /// <summary>The time of that version.</summary>
    public DateTimeOffset? LastModified => _lastModified ?? _data?.LastModified;

    /// <summary>The version that must be stored at the next save, where the caller said one.</summary>
    public string? ExpectedChangeVector { get; set; }

    /// <summary>Whether the next save deletes the document.</summary>
    public bool IsDeleted { get; set; }

    /// <summary>Whether the object was stored by this session and never saved.</summary>
    public bool IsNew => _loaded.IsEmpty;

    /// <summary>The metadata, to read and to change.</summary>
    public JsonObject Metadata
    {
        get
        {
            if (_metadata is null)
            {
                _metadata =
                    _stored.IsEmpty || DocumentData.Parse(_stored).Metadata is not { IsEmpty: false } json
                        ? []
                        : JsonNode.Parse(json.Span)!.AsObject();
                _metadataBefore = _metadata.ToJsonString();
            }

            return _metadata;
        }
    }

    /// <summary>An object that was read from a document.</summary>
    public static TrackedDocument Load(DocumentData data, DocumentModel model)
    {
        var entity =
            DocumentReader.Read(data, model, setsId: true)
            ?? throw new JsonException($"the document '{data.Id}' is null");
        return new TrackedDocument(entity, model)
        {
            Id = data.Id,
            _data = data,
            _stored = data.Json,
            _loaded = JsonSerializer.SerializeToUtf8Bytes(entity, model.Json),
        };
    }

    /// <summary>An object that was made of a document before, and may have changed since.</summary>
    public static TrackedDocument Load(DocumentData data, DocumentModel model, object entity) =>
        new(entity, model)
        {
            Id = data.Id,
            _data = data,
            _stored = data.Json,
            _loaded = Load(data, model)._loaded,
        };

    /// <summary>The object's JSON now.</summary>
    public byte[] Serialize() => JsonSerializer.SerializeToUtf8Bytes(Entity, Model.Json);

    /// <summary>Whether it must be saved, given its JSON now.</summary>
    public bool HasChanged(ReadOnlySpan<byte> now) =>
        IsNew
        || !now.SequenceEqual(_loaded.Span)
        || (_metadata is not null && _metadata.ToJsonString() != _metadataBefore);

    /// <summary>
    /// The document to store: the object's members, those that its class does not know, and the metadata.
    /// </summary>
    public byte[] Write(ReadOnlyMemory<byte> now)
    {
        var body = _stored.IsEmpty ? now : UnknownMembers.Merge(_stored, _loaded, now);
        var metadata = Metadata.DeepClone().AsObject();
        foreach (var name in NotStored)
            metadata.Remove(name);
        metadata.Insert(0, "@collection", Model.Collection);
        return DocumentMembers.WithMetadata(
            body.Span,
            Model.IdName,
            JsonSerializer.SerializeToUtf8Bytes(metadata, MetadataJson.Default.JsonObject)
        );
    }

    /// <summary>Notes that something else than its members made a new version.</summary>
    public void HasVersion(string? changeVector) => _changeVector = changeVector ?? ChangeVector;

    /// <summary>Gives the object the members of a newer document.</summary>
    /// <returns>Whether it has them now; not if a member cannot be set.</returns>
    public bool TryRefresh(DocumentData data, DocumentStoreOptions options)
    {
        var fresh = Load(data, Model);
        if (fresh.Entity.GetType() != Entity.GetType())
            return false;
        try
        {
            foreach (var property in options.Serializer.GetTypeInfo(Entity.GetType()).Properties)
            {
                if (property is { Get: { } get, Set: { } set })
                    set(Entity, get(fresh.Entity));
            }
        }
        catch (InvalidOperationException)
        {
            // Source-generated contexts cannot set members that are for the constructor only.
            return false;
        }

        if (!Serialize().AsSpan().SequenceEqual(fresh._loaded.Span))
            return false;
        (_data, _changeVector, _lastModified, ExpectedChangeVector) = (data, null, null, null);
        (_stored, _loaded, _metadata, _metadataBefore) = (data.Json, fresh._loaded, null, null);
        return true;
    }

    /// <summary>Notes that a version was saved.</summary>
    public void Saved(SavedDocument saved, ReadOnlyMemory<byte> document, ReadOnlyMemory<byte> now)
    {
        (_data, Id, _changeVector, _lastModified, ExpectedChangeVector) = (
            null,
            saved.Id,
            saved.ChangeVector,
            saved.LastModified,
            null
        );
        (_stored, _loaded, _metadata, _metadataBefore) = (document, now, null, null);
    }
}

[System.Text.Json.Serialization.JsonSerializable(typeof(JsonObject))]
internal sealed partial class MetadataJson : System.Text.Json.Serialization.JsonSerializerContext;
