using System.Buffers;
using System.Text;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.Documents;

/// <summary>A copy of one version of a document, or of its tombstone. Immutable and thread-safe.</summary>
public sealed class Document
{
    private const int FixedBytes = 128;
    private readonly string _database;
    private readonly long _ticks;

    internal Document(
        string id,
        string collection,
        long position,
        string database,
        long ticks,
        bool isDeleted,
        BinaryJson body
    )
    {
        Id = id;
        Collection = collection;
        Position = position;
        _database = database;
        _ticks = ticks;
        IsDeleted = isDeleted;
        Body = body;
    }

    /// <summary>The name of the collection of every document that was stored without one.</summary>
    public const string EmptyCollection = MetadataRules.EmptyCollection;

    /// <summary>
    /// Whether a collection belongs to the database: its name begins with <c>@</c>, and it is not
    /// <see cref="EmptyCollection"/>.
    /// </summary>
    /// <param name="collection">The collection's name, in any case.</param>
    public static bool IsSystemCollection(string collection)
    {
        ArgumentNullException.ThrowIfNull(collection);
        return MetadataRules.IsSystemCollection(collection);
    }

    /// <summary>The id in its original case.</summary>
    public string Id { get; }

    /// <summary>The collection; <see cref="EmptyCollection"/> where none was given.</summary>
    public string Collection { get; }

    /// <summary>The place of this version among all changes.</summary>
    public long Position { get; }

    /// <summary>The version's name, for optimistic concurrency.</summary>
    public string ChangeVector => MetadataRules.ChangeVectorOf(Position, _database);

    /// <summary>When this version was written, by the database's clock.</summary>
    public DateTimeOffset LastModified => new(_ticks, TimeSpan.Zero);

    /// <summary>Whether this is a tombstone.</summary>
    public bool IsDeleted { get; }

    /// <summary>The document, with the user's own metadata under <c>@metadata</c>; empty in a tombstone.</summary>
    public BinaryJson Body { get; }

    /// <summary>The user's metadata; no value if there is none.</summary>
    public BinaryValue Metadata => Body.Root.TryGetProperty("@metadata"u8, out var metadata) ? metadata : default;

    /// <summary>About how many bytes it holds in memory.</summary>
    public long Bytes => Body.Data.Length + (2 * Id.Length) + FixedBytes;

    /// <summary>The document as scripts see it.</summary>
    internal ScriptDocument ToScriptDocument() =>
        new(Id, Body)
        {
            Collection = Collection,
            ChangeVector = ChangeVector,
            LastModified = LastModified,
        };

    /// <summary>Writes the document as JSON text.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="withMetadata">Whether <c>@metadata</c> comes first, complete, or not at all.</param>
    public void WriteJson(IBufferWriter<byte> target, bool withMetadata = true)
    {
        ArgumentNullException.ThrowIfNull(target);
        DocumentText.Write(target, this, withMetadata ? DocumentParts.All : DocumentParts.Body, default);
    }

    /// <summary>Writes parts of the document as JSON text.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="parts">Which.</param>
    /// <param name="moreMetadata">Properties to add to the metadata: JSON text, a comma before each.</param>
    public void WriteJson(IBufferWriter<byte> target, DocumentParts parts, ReadOnlySpan<byte> moreMetadata = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        DocumentText.Write(target, this, parts, moreMetadata);
    }

    /// <summary>The JSON text with metadata.</summary>
    /// <returns>A new string.</returns>
    public override string ToString()
    {
        var buffer = new ArrayBufferWriter<byte>();
        WriteJson(buffer);
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
