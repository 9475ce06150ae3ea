namespace Pipeline.Storage;

/// <content>Puts of many keys in order.</content>
public sealed unsafe partial class Tree
{
    /// <summary>
    /// Sets the values of keys that rise, new or not: as <see cref="Put(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/> for
    /// each in turn, but each leaf is looked for once. Keys in order, even if they are far apart, also cost less than
    /// the same ones in any order.
    /// </summary>
    /// <param name="entries">
    /// Keys, each greater than the one before, with their values; in memory that is no page of this store.
    /// </param>
    /// <returns>How many of the keys are new.</returns>
    /// <exception cref="ArgumentException">A key is not greater than the one before; nothing was changed.</exception>
    /// <exception cref="KeyTooLargeException">A key is over 1,024 bytes; nothing was changed.</exception>
    /// <exception cref="InvalidOperationException">The transaction is a reader.</exception>
    /// <exception cref="TransactionTooLargeException">
    /// The transaction reached its limit; some of the entries may have been put.
    /// </exception>
    public long PutSorted(ReadOnlySpan<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> entries)
    {
        CheckSorted(entries);
        var access = Access;
        var before = _state.Count;
        access.IsChanging = true;
        for (var i = 0; i < entries.Length; )
        {
            Put(access, entries[i].Key.Span, entries[i].Value.Span);
            i++;
            i += PutInHintedLeaf(entries.Slice(i));
        }

        access.IsChanging = false;
        return _state.Count - before;
    }

    /// <summary>
    /// Puts entries that follow the last put one as long as they belong to its leaf and fit there; returns how many.
    /// </summary>
    private int PutInHintedLeaf(ReadOnlySpan<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> entries)
    {
        if (_hint == 0 || entries.IsEmpty)
            return 0;
        _version++;
        var page = new TreePage(Access.GetWritablePage(_hint));
        var done = 0;
        for (; done < entries.Length; done++)
        {
            var key = entries[done].Key.Span;
            var value = entries[done].Value.Span;
            if (value.Length > TreePage.MaxInlineValue)
                break;
            var index = page.LowerBoundFromEnd(key, out var found);
            if (index == page.Count && _fencePage != null && new TreePage(_fencePage).CompareKey(_fenceIndex, key) <= 0)
                break;
            byte* to;
            if (found)
            {
                _ = page.Payload(index, out var old);
                if (page.IsOverflow(index) || old < value.Length)
                    break;
                to = page.ShrinkPayload(index, value.Length, overflow: false);
            }
            else
            {
                if (!page.TryMakeRoom(key, sizeof(ushort) + value.Length))
                    break;
                to = page.InsertAt(index, key, sizeof(ushort) + value.Length);
                *(ushort*)to = (ushort)value.Length;
                to += sizeof(ushort);
                page.NoteInsert(index);
                _state.Count++;
            }

            value.CopyTo(new Span<byte>(to, value.Length));
        }

        return done;
    }

    private void CheckSorted(ReadOnlySpan<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> entries)
    {
        for (var i = 0; i < entries.Length; i++)
        {
            var key = entries[i].Key.Span;
            _ = BeginWrite(key);
            if (i > 0 && entries[i - 1].Key.Span.SequenceCompareTo(key) >= 0)
            {
                throw new ArgumentException(
                    $"Key {i} of {entries.Length} is not greater than the one before.",
                    nameof(entries)
                );
            }
        }
    }
}
