using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <content>Documents, their entries, and deletions.</content>
internal sealed partial class IndexCommit
{
    /// <summary>Finds out which entries each document has after the commit, and which are deleted.</summary>
    private unsafe void PrepareDocuments()
    {
        using var snapshot = _environment.BeginRead();
        var stored = Open(snapshot, IndexTrees.Documents);
        if (stored?.Count == 0)
            stored = null;
        var sorted = new SortedTerm[_batches.Sum(b => b.Documents.Documents)];
        var at = 0;
        for (var batch = 0; batch < _batches.Count; batch++)
        {
            for (var i = 0; i < _batches[batch].Documents.Documents; i++)
                sorted[at++] = new SortedTerm(_batches[batch].Documents.Document(i).Id, i, batch);
        }

        Array.Sort(sorted);
        var log = NewLog(IndexTrees.Documents);
        var entries = new List<int>();
        for (var i = 0; i < sorted.Length; )
        {
            var id = sorted[i].Bytes;
            var wasStored = ReadEntries(stored, id, entries);
            var first = i;
            for (; i < sorted.Length && sorted[i].IsSame(sorted[first]); i++)
                AddDocument(sorted[i], entries);
            if (entries.Count > 0)
            {
                MemoryMarshal
                    .AsBytes(CollectionsMarshal.AsSpan(entries))
                    .CopyTo(log.Reserve(id, entries.Count * sizeof(int)));
            }
            else if (wasStored)
            {
                log.Delete(id);
            }
        }

        _removed.Sort();
        for (var batch = 0; batch < _batches.Count; batch++)
        {
            var documents = _batches[batch].Documents;
            var dead = 0;
            for (var i = 0; i < documents.Entries; i++)
                dead += documents.Entry(i).IsDeleted ? 1 : 0;
            _hasDead[batch] = dead > 0;
            _dead += dead;
        }
    }

    /// <summary>Adds a batch's entries of a document, after it has deleted those of before.</summary>
    private void AddDocument(in SortedTerm term, List<int> entries)
    {
        var documents = _batches[term.Batch].Documents;
        ref var document = ref documents.Document(term.Index);
        if (document.IsDeleted)
        {
            foreach (var entry in entries)
                Remove(entry);
            entries.Clear();
        }

        var from = entries.Count;
        for (var entry = document.LastEntry; entry >= 0; entry = documents.Entry(entry).Before)
            entries.Add(_bases[term.Batch] + entry);
        entries.Reverse(from, entries.Count - from);
    }

    private void Remove(int entry)
    {
        if (entry < _before.EntryCount)
        {
            _removed.Add(entry);
            return;
        }

        var batch = Array.BinarySearch(_bases, entry);
        if (batch < 0)
            batch = ~batch - 1;
        // Of batches without entries, which have the same base as the next one, the last holds it.
        while (entry - _bases[batch] >= _batches[batch].EntryCount)
            batch++;
        _batches[batch].Documents.Entry(entry - _bases[batch]).IsDeleted = true;
    }

    private bool ReadEntries(Tree? stored, ReadOnlySpan<byte> id, List<int> entries)
    {
        entries.Clear();
        if (stored is null || !stored.TryGet(id, out var value))
            return false;
        if (value.Length % sizeof(int) != 0)
            throw IndexTrees.Corrupt(IndexTrees.Documents, id, "the list of entries is not whole");
        for (; value.Length > 0; value = value[sizeof(int)..])
        {
            var entry = BinaryPrimitives.ReadInt32LittleEndian(value);
            if ((uint)entry >= (uint)_before.EntryCount)
            {
                throw IndexTrees.Corrupt(
                    IndexTrees.Documents,
                    id,
                    $"entry {entry} is named, but there are {_before.EntryCount}"
                );
            }

            entries.Add(entry);
        }

        return true;
    }

    /// <summary>Writes new entries, takes out removed ones and marks all that are gone.</summary>
    private unsafe void PrepareEntries(ReadTransaction snapshot)
    {
        var log = NewLog(IndexTrees.Entries);
        Span<byte> key = stackalloc byte[sizeof(int)];
        foreach (var entry in _removed)
        {
            BinaryPrimitives.WriteInt32BigEndian(key, entry);
            log.Delete(key);
        }

        var dead = new List<int>();
        for (var batch = 0; batch < _batches.Count; batch++)
        {
            var documents = _batches[batch].Documents;
            for (var i = 0; i < documents.Entries; i++)
            {
                ref var entry = ref documents.Entry(i);
                if (entry.IsDeleted)
                {
                    dead.Add(_bases[batch] + i);
                    continue;
                }

                var id = documents.Document(entry.Document).Key;
                BinaryPrimitives.WriteInt32BigEndian(key, _bases[batch] + i);
                var value = log.Reserve(key, checked(sizeof(ushort) + id.Length + entry.StoredLength));
                BinaryPrimitives.WriteUInt16LittleEndian(value, (ushort)id.Length);
                id.CopyTo(value[sizeof(ushort)..]);
                new ReadOnlySpan<byte>(entry.Stored, entry.StoredLength).CopyTo(value[(sizeof(ushort) + id.Length)..]);
            }
        }

        var stored = Open(snapshot, IndexTrees.Deleted);
        var bitmaps = NewLog(IndexTrees.Deleted);
        BitmapWriter.Add(bitmaps, stored, EntryBitmap.Gone, [.. _removed, .. dead]);
        BitmapWriter.Add(bitmaps, stored, EntryBitmap.Pending, _removed);
    }
}
