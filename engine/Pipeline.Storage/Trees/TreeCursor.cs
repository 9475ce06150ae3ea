using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>A place in a tree, moved in key order in both directions.</summary>
/// <remarks>
/// <para>
/// Not thread-safe. A new cursor is on no entry; so is one whose last seek or move returned <see langword="false"/>.
/// Steps allocate nothing. Disposing a cursor lets the next one have its buffers, so a key read from it must not be
/// used any more.
/// </para>
/// <para>
/// In a write transaction any write to the tree makes the place stale: reading or moving then throws
/// <see cref="InvalidOperationException"/>
/// until the cursor is positioned again.
/// </para>
/// </remarks>
public sealed unsafe partial class TreeCursor : IDisposable
{
    private readonly CursorBuffers _buffers;
    private readonly CursorBuffers.Step[] _path;
    private readonly byte* _key;
    private Tree? _tree;
    private int _version;
    private int _level;
    private TreePage _leaf;
    private int _index;
    private int _count;

    /// <summary>The leaf whose prefix the key buffer begins with.</summary>
    private byte* _prefixOf;
    private int _prefixLength;

    internal TreeCursor(Tree tree)
    {
        _tree = tree;
        _version = tree.Version;
        _buffers = CursorBuffers.Rent();
        _path = _buffers.Path;
        _key = _buffers.Key;
    }

    /// <summary>Whether the cursor is on an entry.</summary>
    public bool IsPositioned => (uint)_index < (uint)_count;

    /// <summary>The key of the entry; valid until the cursor moves.</summary>
    /// <exception cref="InvalidOperationException">
    /// The cursor is on no entry, or the tree was written to since.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public ReadOnlySpan<byte> Key
    {
        get
        {
            Check();
            if ((uint)_index >= (uint)_count)
                ThrowNotPositioned();
            if (_prefixOf != _leaf.Pointer)
            {
                _prefixOf = _leaf.Pointer;
                _prefixLength = _leaf.CopyPrefix(_key);
            }

            var length = _leaf.CopySuffix(_index, _key + _prefixLength);
            return new ReadOnlySpan<byte>(_key, _prefixLength + length);
        }
    }

    /// <summary>The value of the entry, within the snapshot.</summary>
    /// <exception cref="InvalidOperationException">
    /// The cursor is on no entry, or the tree was written to since.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public ReadOnlySpan<byte> Value
    {
        get
        {
            Check();
            if ((uint)_index >= (uint)_count)
                ThrowNotPositioned();
            if (_leaf.IsOverflow(_index))
                return Tree.ValueAt(_tree!.Access, _leaf, _index);
            var payload = _leaf.Payload(_index, out var length);
            return new ReadOnlySpan<byte>(payload, length);
        }
    }

    /// <summary>Goes to the next key.</summary>
    /// <returns>
    /// <see langword="false"/> if there is none, or if the cursor was on no entry; it is then on none.
    /// </returns>
    /// <exception cref="InvalidOperationException">The tree was written to since the cursor was positioned.</exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public bool MoveNext()
    {
        Check();
        var next = _index + 1;
        if ((uint)next < (uint)_count)
        {
            _index = next;
            return true;
        }

        return MoveToNextLeaf();
    }

    /// <summary>Goes to the key before.</summary>
    /// <returns>
    /// <see langword="false"/> if there is none, or if the cursor was on no entry; it is then on none.
    /// </returns>
    /// <exception cref="InvalidOperationException">The tree was written to since the cursor was positioned.</exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public bool MovePrevious()
    {
        Check();
        var previous = _index - 1;
        if ((uint)previous < (uint)_count)
        {
            _index = previous;
            return true;
        }

        return MoveToPreviousLeaf();
    }

    /// <summary>Gives the cursor's buffers back. Harmless when repeated.</summary>
    public void Dispose()
    {
        if (_tree is null)
            return;
        _tree = null;
        Forget();
        CursorBuffers.Return(_buffers);
    }

    /// <summary>A page pointer may mean another content later: after a write, or in another transaction.</summary>
    private void Forget()
    {
        _count = 0;
        _index = 0;
        _prefixOf = null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Check()
    {
        if (_tree is null || _version != _tree.Version)
            ThrowStale();
    }

    [DoesNotReturn]
    private void ThrowStale()
    {
        ObjectDisposedException.ThrowIf(_tree is null, this);
        _ = _tree.Access;
        throw new InvalidOperationException(
            $"Tree '{_tree.Name}' was written to since the cursor was positioned; seek again."
        );
    }

    [DoesNotReturn]
    private static void ThrowNotPositioned() => throw new InvalidOperationException("The cursor is not on an entry.");
}
