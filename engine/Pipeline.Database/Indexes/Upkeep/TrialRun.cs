using System.Text;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Scripting.Indexes;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Runs the maps and the reduce of a definition on documents of a snapshot and keeps their outputs. Stores nothing. Not
/// thread-safe.
/// </summary>
internal sealed class TrialRun : IMapOutput
{
    private readonly DatabaseSnapshot _snapshot;
    private readonly IIndexMapper _mapper;
    private readonly IIndexMapRun _run;
    private readonly TimeProvider _time;
    private readonly List<(string Group, string Json, BinaryJson Input)> _mapped = [];

    public TrialRun(DatabaseSnapshot snapshot, IIndexMapper mapper, TimeProvider time)
    {
        (_snapshot, _mapper, _time) = (snapshot, mapper, time);
        _run = mapper.NewRun(new SnapshotDocuments { Snapshot = snapshot });
    }

    void IMapOutput.Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json) =>
        _mapped.Add(
            (
                Convert.ToHexStringLower(GroupKey.Of(groupKey)),
                Encoding.UTF8.GetString(utf8Json),
                BinaryJson.Parse(utf8Json)
            )
        );

    /// <summary>The documents that the definition maps, the newest first.</summary>
    public IEnumerable<Document> Newest() =>
        _snapshot
            .GetNewestFirst()
            .Where(d =>
                _mapper.Outline.Collections is not { } collections
                || collections.Contains(d.Collection, StringComparer.OrdinalIgnoreCase)
            );

    public IndexTrial Try(IReadOnlyList<string> ids, int sample, CancellationToken ct)
    {
        var outline = _mapper.Outline;
        var documents = new List<IndexTrialDocument>();
        var groups = new Dictionary<string, (List<string> Documents, List<BinaryJson> Inputs)>(StringComparer.Ordinal);
        var chosen = ids.Count > 0 ? ids.Select(_snapshot.Find).OfType<Document>() : Newest().Take(sample);
        foreach (var document in chosen)
        {
            ct.ThrowIfCancellationRequested();
            documents.Add(Map(document, ct));
            foreach (var (group, _, input) in _mapped)
            {
                if (!groups.TryGetValue(group, out var members))
                    groups[group] = members = ([], []);
                if (members.Documents.LastOrDefault() != document.Id)
                    members.Documents.Add(document.Id);
                members.Inputs.Add(input);
            }
        }

        return new IndexTrial(
            outline.Fields,
            outline.IsGrouped,
            documents,
            [.. groups.Values.Select(g => Reduce(g.Documents, g.Inputs, ct))]
        );
    }

    /// <summary>The outputs of a document that belong to a group; null if it has none.</summary>
    public IndexTrialDocument? OutputsIn(string group, Document document, CancellationToken ct)
    {
        Map(document, ct);
        var outputs = _mapped.Where(m => m.Group == group).Select(m => m.Json).ToList();
        return outputs.Count == 0 ? null : new IndexTrialDocument(document.Id, outputs, null);
    }

    private IndexTrialDocument Map(Document document, CancellationToken ct)
    {
        _mapped.Clear();
        var script = SnapshotDocuments.ToScript(document);
        var text = new EntryText();
        try
        {
            if (_mapper.Outline.IsGrouped)
                _run.Map(script, this, ct);
            else
                _run.Map(script, text, ct);
            return new IndexTrialDocument(
                document.Id,
                _mapper.Outline.IsGrouped ? [.. _mapped.Select(m => m.Json)] : text.Entries,
                null
            );
        }
        catch (Exception e) when (IndexBatchRun.IsTheirs(e))
        {
            _mapped.Clear();
            return new IndexTrialDocument(document.Id, [], ErrorOf(document.Id, document.Position, "map", e));
        }
    }

    private IndexTrialGroup Reduce(List<string> documents, List<BinaryJson> inputs, CancellationToken ct)
    {
        var text = new EntryText();
        try
        {
            _run.Reduce(inputs, text, ct);
            return new IndexTrialGroup(documents, text.Entries, null);
        }
        catch (Exception e) when (IndexBatchRun.IsTheirs(e))
        {
            return new IndexTrialGroup(documents, [], ErrorOf(null, 0, "reduce", e));
        }
    }

    private IndexError ErrorOf(string? document, long position, string source, Exception e) =>
        IndexError.Of(_time.GetUtcNow(), document, position, source, e);
}
