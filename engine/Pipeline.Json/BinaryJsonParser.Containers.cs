using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Json;

public sealed partial class BinaryJsonParser
{
    private void Push(ReadOnlySpan<byte> s, int pos, bool isObject, int maxDepth)
    {
        if (_depth == maxDepth)
        {
            throw JsonFormatException.At(
                JsonErrorKind.TooDeep,
                s,
                pos,
                $"more than {maxDepth} arrays and objects within one another"
            );
        }

        if (_depth == _frames.Length)
            Array.Resize(ref _frames, _depth * 2);
        ref var frame = ref _frames[_depth++];
        frame.FirstPending = _pending;
        frame.OutputStart = _length;
        frame.IsObject = isObject;
        frame.IsMetadata = _metadataNext;
        if (_metadataNext && !isObject)
            ThrowMetadataKind(s, pos);
        _metadataNext = false;
    }

    private int ParseName(ReadOnlySpan<byte> s, int pos)
    {
        var length = JsonTextWriter.CleanLength(s[pos..]);
        var end = pos + length;
        ReadOnlySpan<byte> name;
        int next;
        if ((uint)end < (uint)s.Length && s[end] == (byte)'"')
        {
            name = s.Slice(pos, length);
            next = end + 1;
        }
        else
        {
            next = Unescape(s, pos, length);
            name = _unescaped.WrittenSpan;
        }

        if (_asDocument && name.Length != 0 && name[0] == (byte)'@' && TakeSystemName(s, name, pos - 1))
            return next;
        AddPending(Intern(name), pos - 1);
        return next;
    }

    private void AddPending(int id, int source)
    {
        if (_pending == _pendingId.Length)
            GrowPending();
        _pendingId[_pending] = id;
        _pendingSource[_pending++] = source;
    }

    private void AddElement(int offset)
    {
        if (_pending == _pendingId.Length)
            GrowPending();
        _pendingOffset[_pending++] = offset;
    }

    private void GrowPending()
    {
        var size = _pending * 2;
        Array.Resize(ref _pendingId, size);
        Array.Resize(ref _pendingOffset, size);
        Array.Resize(ref _pendingSource, size);
    }

    private int CloseArray()
    {
        var first = _frames[--_depth].FirstPending;
        var count = _pending - first;
        var offset = _length;
        Reserve(checked(count * _width + 6));
        _output[_length++] = BinaryLayout.Array;
        _length += BinaryLayout.WriteVarint(_output.AsSpan(_length), count);
        WriteOffsets(first, count);
        _pending = first;
        return offset;
    }

    /// <summary>Writes the object; returns 0 for a metadata object in which nothing is left.</summary>
    private int CloseObject(ReadOnlySpan<byte> s)
    {
        ref var frame = ref _frames[--_depth];
        var first = frame.FirstPending;
        var count = _pending - first;
        if (frame.IsMetadata && count == 0)
        {
            _length = frame.OutputStart;
            return 0;
        }

        var offset = _length;
        var narrow = _nameCount <= byte.MaxValue + 1;
        var idWidth = narrow ? 1 : _width;
        Reserve(checked(count * (_width + idWidth) + 6));
        var at = _length;
        var output = _output;
        output[at++] = narrow ? BinaryLayout.Object : BinaryLayout.WideObject;
        at += BinaryLayout.WriteVarint(output.AsSpan(at), count);
        var serial = ++_serial;
        ReadOnlySpan<int> ids = _pendingId.AsSpan(first, count);
        Span<int> seenIn = _nameSeenIn;
        for (var i = 0; i < ids.Length; i++)
        {
            var id = ids[i];
            if (seenIn[id] == serial)
                ThrowDuplicate(s, _pendingSource[first + i], id);
            seenIn[id] = serial;
            if (narrow)
                output[at + i] = (byte)id;
            else if (idWidth == 2)
                BinaryPrimitives.WriteUInt16LittleEndian(output.AsSpan(at + i * 2), (ushort)id);
            else
                BinaryPrimitives.WriteInt32LittleEndian(output.AsSpan(at + i * 4), id);
        }

        _length = at + count * idWidth;
        WriteOffsets(first, count);
        _pending = first;
        return offset;
    }

    private void WriteOffsets(int first, int count)
    {
        ReadOnlySpan<int> offsets = _pendingOffset.AsSpan(first, count);
        var target = _output.AsSpan(_length, count * _width);
        if (_width == 2)
        {
            for (var i = 0; i < offsets.Length; i++)
                BinaryPrimitives.WriteUInt16LittleEndian(target.Slice(i * 2), (ushort)offsets[i]);
        }
        else
        {
            for (var i = 0; i < offsets.Length; i++)
                BinaryPrimitives.WriteInt32LittleEndian(target.Slice(i * 4), offsets[i]);
        }

        _length += target.Length;
    }

    private void ThrowDuplicate(ReadOnlySpan<byte> s, int at, int id)
    {
        var name = Encoding.UTF8.GetString(NameBytes(id));
        throw JsonFormatException.At(
            JsonErrorKind.DuplicateName,
            s,
            at,
            $"the object has the property '{Shorten(name)}' twice"
        );
    }

    private static string Shorten(string text) => text.Length <= 80 ? text : string.Concat(text.AsSpan(0, 77), "...");
}
