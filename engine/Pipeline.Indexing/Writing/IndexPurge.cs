using System.Buffers.Binary;
using System.Numerics;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// A step in removing deleted entries from the index. The first step of a purge notes the entries to remove. Each step
/// removes them from the lists of as many terms as its bound allows, in dictionary order. The last step deletes column
/// chunks without live entries, and forgets the removed ones. Commits may come between steps: they add none of these
/// entries.
/// </summary>
internal sealed class IndexPurge : IDisposable
{
    private readonly IndexReader _reader;
    private readonly IndexHeader _before;
    private readonly List<PutLog> _logs = [];
    private readonly PutLog _terms;
    private readonly PutLog _termIds;
    private readonly PutLog _postings;
    private readonly PutLog _positions;
    private readonly PostingListWriter _lists;
    private readonly PostingCursor _cursor = new();
    private readonly EntryBitmap _purging;

    public IndexPurge(IndexReader reader)
    {
        _reader = reader;
        _before = IndexHeader.Read(reader.Snapshot);
        _terms = NewLog(IndexTrees.Terms);
        _termIds = NewLog(IndexTrees.TermIds);
        _postings = NewLog(IndexTrees.Postings);
        _positions = NewLog(IndexTrees.Positions);
        _lists = new PostingListWriter(_postings, _positions, _before.NextList);
        _purging = new EntryBitmap(
            Open(IndexTrees.Deleted),
            _before.Purging > 0 ? EntryBitmap.Purging : EntryBitmap.Pending,
            _before.EntryCount
        );
    }

    /// <summary>Whether there is nothing to do.</summary>
    public bool IsIdle => _before.Pending == 0;

    /// <summary>Whether the step is the purge's last one; known when <see cref="Prepare"/> has returned.</summary>
    public bool IsLast { get; private set; }

    /// <summary>Works out the changes.</summary>
    /// <param name="maxBytes">Of changes; the list with which it is reached is still done.</param>
    /// <param name="ct">Ends the work.</param>
    public void Prepare(long maxBytes, CancellationToken ct)
    {
        var state = NewLog(IndexTrees.State);
        if (_before.Purging == 0)
            CopyPending();
        IsLast = true;
        if (Open(IndexTrees.Terms) is { } terms)
        {
            using var cursor = terms.OpenCursor();
            var on = SeekStart(cursor);
            for (; on && _logs.Sum(l => l.Length) < maxBytes; on = cursor.MoveNext())
            {
                ct.ThrowIfCancellationRequested();
                PurgeTerm(cursor.Key, cursor.Value);
            }

            if (on)
                state.Put(IndexHeader.PurgeKey, cursor.Key);
            IsLast = !on;
        }

        var after = _before with
        {
            NextList = _lists.NextList,
            Purging = _before.Purging == 0 ? _before.Pending : _before.Purging,
        };
        if (IsLast)
        {
            after = after with { Pending = _before.Pending - after.Purging, Purging = 0 };
            state.Delete(IndexHeader.PurgeKey);
            Forget();
            DropColumns();
        }

        after.Write(state);
    }

    /// <summary>Makes the changes in a transaction.</summary>
    public void Apply(WriteTransaction transaction)
    {
        foreach (var log in _logs)
            log.Apply(transaction);
    }

    public void Dispose()
    {
        _cursor.Close();
        foreach (var log in _logs)
            log.Dispose();
    }

    private PutLog NewLog(string tree)
    {
        var log = new PutLog(tree);
        _logs.Add(log);
        return log;
    }

    private Tree? Open(string name) => _reader.Snapshot.TryOpenTree(name, out var tree) ? tree : null;

    private bool SeekStart(TreeCursor cursor) =>
        _before.Purging > 0 && Open(IndexTrees.State) is { } state && state.TryGet(IndexHeader.PurgeKey, out var from)
            ? cursor.Seek(from)
            : cursor.SeekFirst();

    private void CopyPending()
    {
        var log = NewLog(IndexTrees.Deleted);
        Span<byte> key = stackalloc byte[EntryBitmap.KeySize];
        for (var i = 0; i < _purging.ChunkCount; i++)
        {
            if (_purging.Chunk(i) is not { IsEmpty: false } bits)
                continue;
            EntryBitmap.WriteKey(key, EntryBitmap.Purging, i);
            log.Put(key, bits);
        }
    }

    private void PurgeTerm(ReadOnlySpan<byte> key, ReadOnlySpan<byte> record)
    {
        _cursor.Open(_reader, record);
        var found = false;
        while (!found && _cursor.Next() != EntryIterator.End)
            found = _purging.Contains(_cursor.Current);
        if (!found)
            return;
        _cursor.Open(_reader, record);
        var term = _cursor.Record;
        var lengths = new FieldLengths(_reader.LengthColumn(BinaryPrimitives.ReadUInt16BigEndian(key)));
        _lists.Begin(term.Flags, term.Id);
        while (_cursor.Next() != EntryIterator.End)
        {
            if (_purging.Contains(_cursor.Current))
                continue;
            foreach (var position in _cursor.Positions())
                _lists.AddPosition((uint)position);
            _lists.Add(
                _cursor.Current,
                _cursor.Frequency,
                term.HasFrequencies ? Math.Min(lengths[_cursor.Current], PostingLayout.MaxImpact) : 1
            );
        }

        var written = _lists.End();
        if (!written.IsEmpty)
        {
            _terms.Put(key, written);
        }
        else
        {
            _terms.Delete(key);
            if (term.Id >= 0)
                DeleteId(key, term.Id);
        }

        if (term.IsChunked)
        {
            DeleteChunks(_postings, term.List);
            DeleteChunks(_positions, term.List);
        }
    }

    private void DeleteId(ReadOnlySpan<byte> termKey, int id)
    {
        Span<byte> key = stackalloc byte[sizeof(ushort) + sizeof(int)];
        termKey[..sizeof(ushort)].CopyTo(key);
        BinaryPrimitives.WriteInt32BigEndian(key[sizeof(ushort)..], id);
        _termIds.Delete(key);
    }

    private void DeleteChunks(PutLog log, ulong list)
    {
        if (Open(log.Tree) is not { } tree)
            return;
        Span<byte> first = stackalloc byte[PostingLayout.KeySize];
        PostingLayout.WriteKey(first, list, 0);
        using var cursor = tree.OpenCursor();
        for (
            var on = cursor.Seek(first);
            on && cursor.Key[..sizeof(ulong)].SequenceEqual(first[..sizeof(ulong)]);
            on = cursor.MoveNext()
        )
        {
            log.Delete(cursor.Key);
        }
    }

    /// <summary>The purged entries are no longer in any list.</summary>
    private void Forget()
    {
        var log = NewLog(IndexTrees.Deleted);
        var pending = new EntryBitmap(Open(IndexTrees.Deleted), EntryBitmap.Pending, _before.EntryCount);
        Span<byte> key = stackalloc byte[EntryBitmap.KeySize];
        Span<byte> left = stackalloc byte[EntryBitmap.ChunkBytes];
        for (var i = 0; i < _purging.ChunkCount; i++)
        {
            var bits = _purging.Chunk(i);
            if (bits.IsEmpty)
                continue;
            EntryBitmap.WriteKey(key, EntryBitmap.Purging, i);
            log.Delete(key);
            pending.Chunk(i).CopyTo(left);
            for (var b = 0; b < left.Length; b++)
                left[b] &= (byte)~bits[b];
            EntryBitmap.WriteKey(key, EntryBitmap.Pending, i);
            if (left.ContainsAnyExcept((byte)0))
                log.Put(key, left);
            else
                log.Delete(key);
        }
    }

    /// <summary>Deletes column chunks without live entries.</summary>
    private void DropColumns()
    {
        if (Open(IndexTrees.Columns) is not { } tree)
            return;
        var log = NewLog(IndexTrees.Columns);
        var gone = new EntryBitmap(Open(IndexTrees.Deleted), EntryBitmap.Gone, _before.EntryCount);
        using var cursor = tree.OpenCursor();
        for (var on = cursor.SeekFirst(); on; on = cursor.MoveNext())
        {
            // A chunk ends at the end of a word, and the last one may still get entries.
            var first = (long)BinaryPrimitives.ReadInt32BigEndian(cursor.Key[3..]) * ColumnChunk.Capacity;
            if (first + ColumnChunk.Capacity > _before.EntryCount)
                continue;
            var live = 0;
            for (var word = (int)(first / 64); word < (first + ColumnChunk.Capacity) / 64; word++)
                live += BitOperations.PopCount(~gone.Word(word));
            if (live == 0)
                log.Delete(cursor.Key);
        }
    }
}
