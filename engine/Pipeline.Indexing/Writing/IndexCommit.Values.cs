using System.Runtime.InteropServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <content>Terms, columns and numbers, field by field.</content>
internal sealed partial class IndexCommit
{
    /// <summary>A field with more terms is divided, unless they get numbers.</summary>
    private const int TermsOfPart = 8192;

    private void AddTermWork(List<(long Cost, Action<ReadTransaction> Run)> work, TermMerge[] merges)
    {
        foreach (var merge in merges)
        {
            var bytes = merge.Parts.Sum(p => p?.Bytes ?? 0);
            if (merge.IsSearched)
            {
                var bounds = merge.Divide(Math.Clamp(merge.Terms.Length / TermsOfPart, 1, 16));
                for (var i = 1; i < bounds.Length; i++)
                {
                    var (from, to) = (bounds[i - 1], bounds[i]);
                    var list = ReserveLists(to - from);
                    work.Add(
                        (
                            bytes / (bounds.Length - 1),
                            snapshot =>
                            {
                                using var writer = new TermRangeWriter(
                                    merge,
                                    snapshot,
                                    _before.EntryCount,
                                    list,
                                    NewLog
                                );
                                writer.Write(from, to, 0, null);
                            }
                        )
                    );
                }
            }
            else
            {
                var list = ReserveLists(merge.Terms.Length);
                work.Add((bytes, snapshot => PrepareWholeTerms(merge, snapshot, list)));
            }
        }

        foreach (var merge in merges)
        {
            work.Add(
                (
                    merge.Parts.Sum(p => p?.Values.Bytes + p?.Lengths.Bytes ?? 0),
                    snapshot => PrepareLengths(merge, snapshot)
                )
            );
        }
    }

    private ulong ReserveLists(int count)
    {
        var first = _before.NextList + (ulong)_nextLists;
        _nextLists = checked(_nextLists + count);
        return first;
    }

    /// <summary>The terms of a field whose values are one term each, and the column of their numbers.</summary>
    private void PrepareWholeTerms(TermMerge merge, ReadTransaction snapshot, ulong list)
    {
        var state = StateOf(merge.Field.Number);
        var ids = merge.Parts.Select(p => p is null ? null : new int[p.Terms.Count]).ToArray();
        using (var writer = new TermRangeWriter(merge, snapshot, _before.EntryCount, list, NewLog))
        {
            writer.Write(0, merge.Terms.Length, state.NextTermId, ids);
            ChangeState(merge.Field.Number, s => s with { NextTermId = writer.NextTermId });
        }

        var column = new ColumnBuilder(
            NewLog(IndexTrees.Columns),
            Open(snapshot, IndexTrees.Columns),
            merge.Field.Number,
            ColumnKind.Term
        );
        for (var batch = 0; batch < merge.Parts.Length; batch++)
        {
            if (merge.Parts[batch] is not { } part)
                continue;
            foreach (var value in part.TermValues.Span)
            {
                if (!merge.IsDead(batch, value.Entry))
                    column.Add(_bases[batch] + value.Entry, ids[batch]![value.Value]);
            }
        }

        EndColumn(column, merge.Field.Number, ColumnKind.Term);
    }

    private void PrepareLengths(TermMerge merge, ReadTransaction snapshot)
    {
        var column = new ColumnBuilder(
            NewLog(IndexTrees.Columns),
            Open(snapshot, IndexTrees.Columns),
            merge.Field.Number,
            ColumnKind.Length
        );
        long entries = 0,
            tokens = 0;
        for (var batch = 0; batch < merge.Parts.Length; batch++)
        {
            if (merge.Parts[batch] is not { } part)
                continue;
            foreach (var value in part.Lengths.Span)
            {
                if (merge.IsDead(batch, value.Entry))
                    continue;
                column.Add(_bases[batch] + value.Entry, value.Value);
                entries++;
                tokens += value.Value;
            }
        }

        EndColumn(column, merge.Field.Number, ColumnKind.Length);
        ChangeState(merge.Field.Number, s => s with { Entries = s.Entries + entries, Tokens = s.Tokens + tokens });
    }

    private void AddValueWork(List<(long Cost, Action<ReadTransaction> Run)> work)
    {
        var parts = _batches
            .SelectMany((b, i) => b.Fields.Where(f => f.Values.Count > 0).Select(f => (Batch: i, Field: f)))
            .ToLookup(p => p.Field.Field.Number);
        foreach (var number in _fieldStates.Keys.ToArray())
        {
            if (!parts.Contains(number) && _removed.Count == 0)
                continue;
            var own = parts[number].ToList();
            work.Add((own.Sum(p => p.Field.Values.Bytes), snapshot => PrepareValues(number, own, snapshot)));
        }
    }

    private void PrepareValues(int field, List<(int Batch, FieldBatch Field)> parts, ReadTransaction snapshot)
    {
        var stored = Open(snapshot, IndexTrees.Columns);
        if (_removed.Count > 0)
            RemoveLengths(field, stored);
        var removed = new List<NumericItem>();
        var added = new List<NumericItem>();
        foreach (
            var kinds in (ColumnKind[][])
                [
                    [ColumnKind.Long, ColumnKind.Double],
                    [ColumnKind.Point],
                ]
        )
        {
            removed.Clear();
            added.Clear();
            foreach (var kind in kinds)
            {
                if (StateOf(field).Has(kind))
                    AddRemoved(removed, new ColumnReader(stored, field, kind, _before.EntryCount), kind);
                AddValues(added, field, parts, kind, stored);
            }

            removed.Sort();
            added.Sort();
            var index = kinds[0] == ColumnKind.Point ? NumericChunk.Points : NumericChunk.Numbers;
            new NumericWriter(NewLog(IndexTrees.Numbers), Open(snapshot, IndexTrees.Numbers), field, index).Apply(
                CollectionsMarshal.AsSpan(removed),
                CollectionsMarshal.AsSpan(added)
            );
        }
    }

    private void AddValues(
        List<NumericItem> items,
        int field,
        List<(int Batch, FieldBatch Field)> parts,
        ColumnKind kind,
        Tree? stored
    )
    {
        var column = new ColumnBuilder(NewLog(IndexTrees.Columns), stored, field, kind);
        foreach (var (batch, part) in parts)
        {
            foreach (var value in part.Values.Span)
            {
                if (value.Kind != kind || _batches[batch].Documents.Entry(value.Entry).IsDeleted)
                    continue;
                var entry = _bases[batch] + value.Entry;
                column.Add(entry, value.Bits);
                AddItem(items, kind, value.Bits, entry);
            }
        }

        EndColumn(column, field, kind);
    }

    private void AddRemoved(List<NumericItem> items, ColumnReader column, ColumnKind kind)
    {
        var values = new List<long>();
        foreach (var entry in _removed)
        {
            values.Clear();
            column.GetValues(entry, values);
            foreach (var value in values)
                AddItem(items, kind, value, entry);
        }
    }

    private static void AddItem(List<NumericItem> items, ColumnKind kind, long bits, int entry)
    {
        var key = kind switch
        {
            ColumnKind.Long => NumericKey.From(bits),
            ColumnKind.Point => new NumericKey((ulong)bits, 0),
            _ => NumericKey.TryFrom(BitConverter.Int64BitsToDouble(bits), out var number) ? number : NumericKey.Max,
        };
        if (key != NumericKey.Max)
            items.Add(new NumericItem(key, entry));
    }

    private void RemoveLengths(int field, Tree? stored)
    {
        if (!StateOf(field).Has(ColumnKind.Length))
            return;
        var column = new ColumnReader(stored, field, ColumnKind.Length, _before.EntryCount);
        long entries = 0,
            tokens = 0;
        foreach (var entry in _removed)
        {
            if (!column.TryGet(entry, out var length))
                continue;
            entries++;
            tokens += length;
        }

        ChangeState(field, s => s with { Entries = s.Entries - entries, Tokens = s.Tokens - tokens });
    }

    private void EndColumn(ColumnBuilder column, int field, ColumnKind kind)
    {
        column.End();
        if (!column.HasValues)
            return;
        var bit = (byte)(1 << (int)kind);
        ChangeState(
            field,
            s =>
                s with
                {
                    Kinds = (byte)(s.Kinds | bit),
                    Multiple = (byte)(column.IsMultiple ? s.Multiple | bit : s.Multiple),
                }
        );
    }

    private FieldState StateOf(int field)
    {
        lock (_fieldStates)
            return _fieldStates.GetValueOrDefault(field);
    }

    private void ChangeState(int field, Func<FieldState, FieldState> change)
    {
        lock (_fieldStates)
            _fieldStates[field] = change(_fieldStates.GetValueOrDefault(field));
    }
}
