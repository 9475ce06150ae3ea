using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Pipeline.Json;

/// <summary>The document's table of property names: each is kept once.</summary>
public sealed partial class BinaryJsonParser
{
    private const ulong Multiplier = 0x9E3779B97F4A7C15;

    // Keyed, so that a sender cannot choose names that collide. It changes the time that a parse takes, never its
    // result.
    private static readonly ulong s_key = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(8));

    private Slot[] _slots = new Slot[64];
    private uint _generation;
    private byte[] _nameBytes = new byte[1024];
    private int[] _nameEnd = new int[32];
    private int[] _nameSeenIn = new int[32];
    private int _nameCount;
    private int _serial;

    private struct Slot
    {
        internal uint Generation;
        internal uint Hash;
        internal int Id;
    }

    private void ResetNames()
    {
        _nameCount = 0;
        if (_serial > int.MaxValue / 2)
        {
            Array.Clear(_nameSeenIn);
            _serial = 0;
        }

        if (++_generation != 0)
            return;
        Array.Clear(_slots);
        _generation = 1;
    }

    private void TrimNames()
    {
        if (_nameBytes.Length > RetainedBytes)
            _nameBytes = new byte[1024];
        if (_nameEnd.Length <= 4096)
            return;
        _nameEnd = new int[32];
        _nameSeenIn = new int[32];
        _slots = new Slot[64];
    }

    private ReadOnlySpan<byte> NameBytes(int id)
    {
        var start = id == 0 ? 0 : _nameEnd[id - 1];
        return _nameBytes.AsSpan(start, _nameEnd[id] - start);
    }

    private int Intern(ReadOnlySpan<byte> name)
    {
        var hash = Hash(name);
        var slots = _slots;
        var mask = slots.Length - 1;
        var i = (int)hash & mask;
        while (slots[i].Generation == _generation)
        {
            if (slots[i].Hash == hash && NameBytes(slots[i].Id).SequenceEqual(name))
                return slots[i].Id;
            i = (i + 1) & mask;
        }

        return AddName(name, hash, i);
    }

    private int AddName(ReadOnlySpan<byte> name, uint hash, int slot)
    {
        var id = _nameCount;
        var start = id == 0 ? 0 : _nameEnd[id - 1];
        if (id == _nameEnd.Length)
        {
            Array.Resize(ref _nameEnd, id * 2);
            Array.Resize(ref _nameSeenIn, id * 2);
        }

        if (_nameBytes.Length - start < name.Length)
        {
            Array.Resize(
                ref _nameBytes,
                (int)Math.Min(Array.MaxLength, Math.Max(_nameBytes.Length * 2L, (long)start + name.Length))
            );
        }

        name.CopyTo(_nameBytes.AsSpan(start));
        _nameEnd[id] = start + name.Length;
        _nameCount++;
        _slots[slot] = new Slot
        {
            Generation = _generation,
            Hash = hash,
            Id = id,
        };
        if (_nameCount * 2 > _slots.Length)
            GrowSlots();
        return id;
    }

    private void GrowSlots()
    {
        var old = _slots;
        _slots = new Slot[old.Length * 2];
        var mask = _slots.Length - 1;
        foreach (var slot in old)
        {
            if (slot.Generation != _generation)
                continue;
            var i = (int)slot.Hash & mask;
            while (_slots[i].Generation == _generation)
                i = (i + 1) & mask;
            _slots[i] = slot;
        }
    }

    private static uint Hash(ReadOnlySpan<byte> name)
    {
        var h = s_key ^ (uint)name.Length;
        var length = name.Length;
        while (length > 16)
        {
            h = Mix(h, MemoryMarshal.Read<ulong>(name));
            name = name[8..];
            length -= 8;
        }

        if (length >= 8)
        {
            h = Mix(h, MemoryMarshal.Read<ulong>(name));
            h = Mix(h, MemoryMarshal.Read<ulong>(name[(length - 8)..]));
        }
        else if (length >= 4)
        {
            h = Mix(h, MemoryMarshal.Read<uint>(name) | (ulong)MemoryMarshal.Read<uint>(name[(length - 4)..]) << 32);
        }
        else if (length > 0)
        {
            h = Mix(h, name[0] | (uint)name[length >> 1] << 8 | (uint)name[length - 1] << 16);
        }

        return (uint)(h ^ h >> 32);
    }

    private static ulong Mix(ulong h, ulong word)
    {
        var high = Math.BigMul(h ^ word, Multiplier, out var low);
        return high ^ BitOperations.RotateLeft(low, 23) ^ h;
    }

    private void WriteNamesAndFooter(int root)
    {
        var names = _length;
        var bytes = _nameCount == 0 ? 0 : _nameEnd[_nameCount - 1];
        Reserve(checked(_nameCount * (2 + _width) + bytes + 3 * _width));
        var at = WriteWide(_length, _nameCount);
        for (var id = 0; id < _nameCount; id++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(_output.AsSpan(at), BinaryLayout.Signature(NameBytes(id)));
            at += 2;
        }

        for (var id = 0; id < _nameCount; id++)
            at = WriteWide(at, _nameEnd[id]);
        _nameBytes.AsSpan(0, bytes).CopyTo(_output.AsSpan(at));
        at = WriteWide(at + bytes, root);
        _length = WriteWide(at, names);
    }

    private int WriteWide(int at, int value)
    {
        if (_width == 2)
            BinaryPrimitives.WriteUInt16LittleEndian(_output.AsSpan(at), (ushort)value);
        else
            BinaryPrimitives.WriteInt32LittleEndian(_output.AsSpan(at), value);
        return at + _width;
    }
}
