using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Pipeline.Json;

/// <summary>
/// Of a document, the five properties of <c>@metadata</c> that the database itself keeps are taken out while parsing,
/// and
/// <c>@metadata</c> with them if it holds nothing else.
/// </summary>
public sealed partial class BinaryJsonParser
{
    private const int SystemNames = 5;

    private readonly ArrayBufferWriter<byte> _captured = new();
    private readonly (int Start, int Length)[] _capturedAt = new (int, int)[SystemNames];
    private bool _asDocument;
    private bool _metadataNext;
    private bool _metadataSeen;
    private int _systemProperty = -1;
    private int _systemSource;
    private int _systemOutput;

    /// <summary>The bytes of <c>@id</c>, if the last document had it.</summary>
    internal bool TryGetId(out ReadOnlySpan<byte> utf8) => TryGetCaptured(0, out utf8);

    /// <summary>The bytes of <c>@collection</c>, if the last document had it.</summary>
    internal bool TryGetCollection(out ReadOnlySpan<byte> utf8) => TryGetCaptured(1, out utf8);

    /// <summary>Whether the last document's metadata had <c>@attachments</c>; it is still there.</summary>
    internal bool ListsAttachments { get; private set; }

    private bool TryGetCaptured(int which, out ReadOnlySpan<byte> utf8)
    {
        (var start, var length) = _capturedAt[which];
        utf8 = length < 0 ? default : _captured.WrittenSpan.Slice(start, length);
        return length >= 0;
    }

    private void ResetMetadata(bool asDocument)
    {
        _asDocument = asDocument;
        _metadataNext = false;
        _metadataSeen = false;
        ListsAttachments = false;
        _systemProperty = -1;
        _captured.ResetWrittenCount();
        _capturedAt.AsSpan().Fill((0, -1));
    }

    /// <summary>Handles a name that begins with '@'; false if it is not special.</summary>
    private bool TakeSystemName(ReadOnlySpan<byte> s, ReadOnlySpan<byte> name, int at)
    {
        if (_depth == 1)
        {
            if (!name.SequenceEqual("@metadata"u8))
                return false;
            if (_metadataSeen)
            {
                throw JsonFormatException.At(
                    JsonErrorKind.DuplicateName,
                    s,
                    at,
                    "the object has the property '@metadata' twice"
                );
            }

            _metadataSeen = true;
            _metadataNext = true;
            return false;
        }

        if (!_frames[_depth - 1].IsMetadata)
            return false;
        var which =
            name.SequenceEqual("@id"u8) ? 0
            : name.SequenceEqual("@collection"u8) ? 1
            : name.SequenceEqual("@change-vector"u8) ? 2
            : name.SequenceEqual("@last-modified"u8) ? 3
            : name.SequenceEqual("@flags"u8) ? 4
            : -1;
        if (which < 0)
        {
            ListsAttachments |= name.SequenceEqual("@attachments"u8);
            return false;
        }

        if (_capturedAt[which].Length != -1)
        {
            throw JsonFormatException.At(
                JsonErrorKind.DuplicateName,
                s,
                at,
                $"the object has the property '{Encoding.UTF8.GetString(name)}' twice"
            );
        }

        _systemProperty = which;
        _systemSource = at;
        _systemOutput = _length;
        return true;
    }

    /// <summary>A property's value is complete: notes its place, or takes it out.</summary>
    private void EndProperty(ReadOnlySpan<byte> s, int offset)
    {
        if (_systemProperty >= 0 && _frames[_depth - 1].IsMetadata)
        {
            Capture(s, offset);
            return;
        }

        if (offset == 0)
        {
            DropEmptyMetadata();
            return;
        }

        if (_metadataNext)
            ThrowMetadataKind(s, _pendingSource[_pending - 1]);
        _pendingOffset[_pending - 1] = offset;
    }

    private void Capture(ReadOnlySpan<byte> s, int offset)
    {
        var data = new ReadOnlySpan<byte>(_output, 0, _length);
        var tag = data[offset];
        if (tag is not (BinaryLayout.Null or BinaryLayout.LongString or >= BinaryLayout.FirstShortString))
        {
            throw JsonFormatException.At(
                JsonErrorKind.NotADocument,
                s,
                _systemSource,
                "this property of @metadata must be a string"
            );
        }

        // A string is the last thing written, so it goes to the end.
        var at = offset + 1;
        if (tag == BinaryLayout.LongString)
            BinaryLayout.ReadVarint(data, ref at);
        var text = data[at..];
        _capturedAt[_systemProperty] = tag == BinaryLayout.Null ? (0, -2) : (_captured.WrittenCount, text.Length);
        _captured.Write(text);
        _length = _systemOutput;
        _systemProperty = -1;
    }

    /// <summary>Nothing was left in <c>@metadata</c>: neither property nor name stays.</summary>
    private void DropEmptyMetadata()
    {
        var id = _pendingId[--_pending];
        if (id != _nameCount - 1)
            return;
        var hash = Hash(NameBytes(id));
        var mask = _slots.Length - 1;
        var i = (int)hash & mask;
        while (_slots[i].Id != id || _slots[i].Generation != _generation)
            i = (i + 1) & mask;

        // The name that was added last: no other was placed past it, so its slot may be emptied.
        _slots[i].Generation = _generation - 1;
        _nameCount--;
    }

    private void CheckRoot(ReadOnlySpan<byte> s, int offset)
    {
        if (_output[offset] is BinaryLayout.Object or BinaryLayout.WideObject)
            return;
        throw JsonFormatException.At(
            JsonErrorKind.NotADocument,
            s,
            SkipSpace(s, 0),
            "a document must be a JSON object"
        );
    }

    [DoesNotReturn]
    private static void ThrowMetadataKind(ReadOnlySpan<byte> s, int at) =>
        throw JsonFormatException.At(JsonErrorKind.NotADocument, s, at, "@metadata must be an object");
}
