using System.Buffers.Binary;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <content>What a definition gives before it is stored, and the groups of a map-reduce index.</content>
public sealed partial class DatabaseIndexes
{
    private const int MaxParts = 1_000;

    /// <summary>Runs a definition on documents of this database. Nothing is stored, and no index changes.</summary>
    /// <param name="definition">The definition; its name is not looked up.</param>
    /// <param name="ids">The documents; if empty, the newest ones that the definition maps.</param>
    /// <param name="sample">How many documents to take if <paramref name="ids"/> is empty.</param>
    /// <param name="ct">Cancels the run.</param>
    /// <exception cref="InvalidIndexException">The definition does not compile.</exception>
    public IndexTrial Try(
        IndexDefinition definition,
        IReadOnlyList<string> ids,
        int sample,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(definition);
        ArgumentNullException.ThrowIfNull(ids);
        definition.CheckName();
        IndexFields.Check(definition);
        var mapper = ScriptMapper.Compile(definition, ct);
        using var snapshot = _database.OpenSnapshot("index trial");
        return new TrialRun(snapshot, mapper, _options.TimeProvider).Try(ids, sample, ct);
    }

    /// <summary>A page of the groups of a map-reduce index; empty for other indexes.</summary>
    /// <param name="name">The index.</param>
    /// <param name="skip">How many groups to leave out.</param>
    /// <param name="take">How many groups to return.</param>
    /// <exception cref="Queries.Catalog.IndexNotFoundException">There is no index with this name.</exception>
    public (IReadOnlyList<IndexGroup> Groups, long Total) GetGroups(string name, int skip, int take)
    {
        using var index = Open(name);
        var groups = new List<IndexGroup>();
        if (!index.IsGrouped)
            return (groups, 0);
        for (var entry = 0; entry < index.Reader.EntryCount && groups.Count < take; entry++)
        {
            if (!index.Reader.IsLive(entry) || skip-- > 0)
                continue;
            if (index.Reader.TryGetEntry(entry, out var key, out var stored))
            {
                groups.Add(new IndexGroup(Convert.ToHexStringLower(key), new BinaryJson(stored.ToArray()).ToString()));
            }
        }

        return (groups, index.Reader.LiveCount);
    }

    /// <summary>
    /// A group of a map-reduce index down to its documents. The outputs are computed again from the current documents,
    /// because the index stores hashes of ids.
    /// </summary>
    /// <param name="name">The index.</param>
    /// <param name="group">The group's <see cref="IndexGroup.Key"/>.</param>
    /// <param name="mostOutputs">How many documents to return.</param>
    /// <param name="mostScanned">How many documents to map.</param>
    /// <param name="ct">Cancels the scan.</param>
    /// <exception cref="Queries.Catalog.IndexNotFoundException">There is no index with this name.</exception>
    /// <exception cref="InvalidIndexException">The definition does not compile.</exception>
    public IndexGroupTree GetGroup(
        string name,
        string group,
        int mostOutputs,
        long mostScanned,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(group);
        var (mapper, parts) = Use(name, i => (i.Mapper, ReadParts(i.Environment, group)));
        using var snapshot = _database.OpenSnapshot("index group");
        var run = new TrialRun(snapshot, mapper, _options.TimeProvider);
        var outputs = new List<IndexTrialDocument>();
        long scanned = 0;
        foreach (var document in mapper.Outline.IsGrouped ? run.Newest() : [])
        {
            ct.ThrowIfCancellationRequested();
            if (outputs.Count == mostOutputs || scanned == mostScanned)
                return new IndexGroupTree(outputs, parts, scanned, false);
            scanned++;
            if (run.OutputsIn(group, document, ct) is { } found)
                outputs.Add(found);
        }

        return new IndexGroupTree(outputs, parts, scanned, true);
    }

    private static List<IndexGroupPart> ReadParts(StorageEnvironment environment, string group)
    {
        var parts = new List<IndexGroupPart>();
        if (group.Length != GroupKey.Bytes * 2 || !group.All(char.IsAsciiHexDigit))
            return parts;
        using var transaction = environment.BeginRead("index group");
        foreach (
            var (key, part) in new TreeChanges(UpkeepTrees.Parts, transaction)
                .Range(Convert.FromHexString(group))
                .Take(MaxParts)
        )
        {
            var depth = key[GroupKey.Bytes];
            var path = Convert.ToHexStringLower(key.AsSpan(GroupKey.Bytes + 1))[..depth];
            parts.Add(
                new IndexGroupPart(depth, path, BinaryPrimitives.ReadInt64LittleEndian(part.AsSpan(1)), Results(part))
            );
        }

        return parts;
    }

    private static List<string> Results(ReadOnlyMemory<byte> part)
    {
        var results = new List<string>();
        for (part = part[9..]; part.Length > 0; )
        {
            var length = BinaryPrimitives.ReadInt32LittleEndian(part.Span);
            results.Add(new BinaryJson(part.Slice(4, length)).ToString());
            part = part[(4 + length)..];
        }

        return results;
    }
}
