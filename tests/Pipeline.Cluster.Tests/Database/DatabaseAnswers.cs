using System.Text;
using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>The answers that a node gives from its caches and its own indexes, as text to compare.</summary>
internal static class DatabaseAnswers
{
    public static async Task<string> OfAsync(DatabaseMember member, long position, CancellationToken ct)
    {
        var database = member.Database;
        var text = new StringBuilder();
        text.AppendLine($"id {database.Id}, position {database.LastPosition}");
        text.AppendLine($"revisions {JsonSerializer.Serialize(database.Revisions.Configuration)}");
        text.AppendLine($"expiration {JsonSerializer.Serialize(database.Expiration.Configuration)}");
        text.AppendLine($"lineages {string.Join(", ", database.Lineages.All)}");
        text.AppendLine($"consumers {string.Join(", ", database.Consumers.List())}");
        using (var snapshot = database.OpenSnapshot())
        {
            foreach (var document in snapshot.GetByPrefix("").Take(200))
            {
                text.AppendLine($"{document.Id} {document.ChangeVector} {document}");
                foreach (var attachment in snapshot.GetAttachments(document.Id))
                    text.AppendLine($"  {attachment}");
                text.AppendLine($"  {snapshot.CountRevisions(document.Id)} versions");
            }
            text.AppendLine(string.Join(", ", snapshot.GetCompareExchangeByPrefix("")));
            text.AppendLine(JsonSerializer.Serialize(snapshot.GetIdentities()));
            foreach (var stream in snapshot.ReadStreams())
                text.AppendLine($"{stream.StreamId} {snapshot.GetHighestSequence(stream.StreamId)}");
        }

        foreach (var index in database.Indexes.List())
        {
            text.AppendLine($"index {index.Name} {index.Definition.Hash} {index.State} {index.Failure}");
            if (index.State != IndexState.Normal)
                continue;
            var request = new QueryRequest($"from index '{index.Name}'")
            {
                Wait = new IndexWait(TimeSpan.FromSeconds(30), position),
            };
            var found = new List<string>();
            await foreach (var item in database.StreamQueryAsync(request, ct))
                found.Add(item.ToString());
            text.AppendLine($"  {found.Count}: {string.Join("\n  ", found.Order(StringComparer.Ordinal))}");
        }
        return text.ToString();
    }
}
