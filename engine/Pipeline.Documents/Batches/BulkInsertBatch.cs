using System.Buffers;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>Documents of one commit, parsed, end to end in one pooled buffer.</summary>
internal sealed class BulkInsertBatch(bool skipsUnchanged)
{
    private readonly List<Entry> _entries = [];
    private byte[] _buffer = [];
    private int _length;
    private int _contentBytes;
    private BatchMark? _mark;

    /// <summary>Documents and attachments.</summary>
    internal int Count => _entries.Count;

    internal int Documents { get; private set; }

    /// <summary>The bytes of memory that it holds.</summary>
    internal int Bytes => _length + _contentBytes;

    /// <summary>Parses a document into the batch.</summary>
    /// <param name="id">As for a put; null takes the metadata's.</param>
    /// <param name="utf8Json">The text.</param>
    /// <param name="limits">Its limits.</param>
    internal void Add(string? id, ReadOnlySpan<byte> utf8Json, JsonLimits limits)
    {
        var parser = BinaryJsonParser.ForThread();
        parser.ParseText(utf8Json, limits, asDocument: true);
        if (string.IsNullOrEmpty(id))
            id = parser.TryGetId(out var own) ? Encoding.UTF8.GetString(own) : null;
        if (!string.IsNullOrEmpty(id))
            DocumentKeys.CheckRequestedId(id);
        var collection = Document.EmptyCollection;
        if (parser.TryGetCollection(out var name) && !name.IsEmpty)
        {
            // Documents of one collection mostly follow one another.
            if (_entries.Count > 0 && Matches(_entries[^1].Collection, name))
                collection = _entries[^1].Collection;
            else
                DocumentKeys.CheckCollection(collection = MetadataRules.CollectionOf(Encoding.UTF8.GetString(name)));
        }

        var body = parser.Output;
        if (_buffer.Length - _length < body.Length)
            Grow(body.Length);
        body.CopyTo(_buffer.AsSpan(_length));
        _entries.Add(new Entry(id, collection, _length, body.Length, parser.ListsAttachments));
        _length += body.Length;
        Documents++;
        parser.Trim();
    }

    /// <summary>Adds an attachment, which is put after all earlier entries.</summary>
    internal void Add(string id, string name, StagedAttachment content, string? contentType)
    {
        _entries.Add(new Entry(id, Document.EmptyCollection, 0, 0, false, new Attached(name, content, contentType)));
        _contentBytes += content.Inline.Length;
    }

    /// <summary>Releases the contents of its attachments; committed contents stay.</summary>
    internal async ValueTask GiveUpContentsAsync()
    {
        foreach (var entry in _entries)
        {
            if (entry.Attachment is { } attached)
                await attached.Content.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Gives the batch's commit a state to set, provided the state still has its expected value.</summary>
    internal void Mark(BatchMark mark) => _mark = mark;

    internal void Write(DocumentTransaction transaction)
    {
        if (_mark is { } mark)
        {
            if (!transaction.GetState(mark.Key).AsSpan().SequenceEqual(mark.Before))
                throw new InvalidOperationException("The commit before this one failed, so this one is not made.");
            transaction.SetState(mark.Key, mark.After);
        }

        foreach (var entry in _entries)
        {
            if (entry.Attachment is { } attached)
            {
                transaction.PutAttachment(entry.Id!, attached.Name, attached.Content, attached.ContentType);
            }
            else if (!skipsUnchanged || !IsThere(transaction, entry))
            {
                transaction.Put(
                    entry.Id,
                    entry.Collection,
                    _buffer.AsSpan(entry.Start, entry.Length),
                    entry.ListsAttachments
                );
            }
        }
    }

    /// <summary>Makes the batch empty for use again.</summary>
    internal void Clear()
    {
        _entries.Clear();
        (_length, _contentBytes, Documents) = (0, 0, 0);
        _mark = null;
    }

    /// <summary>Returns the buffer.</summary>
    internal void Release()
    {
        Clear();
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    /// <summary>Whether a document is already stored with the same content.</summary>
    private bool IsThere(DocumentTransaction transaction, in Entry entry) =>
        !string.IsNullOrEmpty(entry.Id)
        && entry.Id[^1] is not ('/' or '|')
        && transaction.TryGet(entry.Id, out var known)
        && string.Equals(known.Collection, entry.Collection, StringComparison.OrdinalIgnoreCase)
        && known.Body.Data.Span.SequenceEqual(_buffer.AsSpan(entry.Start, entry.Length));

    private static bool Matches(string text, ReadOnlySpan<byte> utf8) => Ascii.Equals(utf8, text);

    private void Grow(int more)
    {
        var grown = ArrayPool<byte>.Shared.Rent(
            (int)Math.Min(Array.MaxLength, Math.Max(_length + (long)more, Math.Max(64 * 1024, _buffer.Length * 2L)))
        );
        _buffer.AsSpan(0, _length).CopyTo(grown);
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = grown;
    }

    /// <summary>A state that changes with a batch.</summary>
    internal sealed record BatchMark(string Key, byte[]? Before, byte[] After);

    private readonly record struct Entry(
        string? Id,
        string Collection,
        int Start,
        int Length,
        bool ListsAttachments,
        Attached? Attachment = null
    );

    private sealed record Attached(string Name, StagedAttachment Content, string? ContentType);
}
