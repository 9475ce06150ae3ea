using System.Text;
using System.Text.Json;
using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Testing;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Planning;

/// <summary>Runs two versions of a task's transform over the newest documents that it takes.</summary>
internal sealed class TransformComparison(IChangeFeed feed, EtlTaskConfiguration? old, EtlTaskConfiguration now)
{
    /// <summary>Tries both.</summary>
    /// <param name="count">How many documents.</param>
    /// <param name="shown">How many of them to show: first those that differ.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public (int Tried, int Different, IReadOnlyList<SampleChange> Samples) Run(int count, int shown, CancellationToken cancellationToken)
    {
        if (count == 0) return (0, 0, []);
        TransformScript? before = old is null ? null : TransformCompiler.Compile(old, []);
        TransformScript after = TransformCompiler.Compile(now, []) ?? throw new InvalidOperationException($"The transform of '{now.Name}' does not compile.");
        CursorFilter filter = now.ToFilter() with { Deletes = false };
        var cursor = DurableCursor.Open(feed, "plan/" + now.Name, filter);
        for (long window = Math.Max(1024, 4L * count); ; window *= 8)
        {
            using CursorBatch batch = cursor.ReadBatch(Math.Max(0, feed.LastPosition - window), int.MaxValue, long.MaxValue);
            if (batch.Changes.Count < count && window < feed.LastPosition) continue;
            var all = new List<SampleChange>();
            foreach (FeedChange change in batch.Changes.Skip(batch.Changes.Count - count))
            {
                string? first = before is null ? null : Describe(old!, before, change.Document, batch.Snapshot, cancellationToken);
                string second = Describe(now, after, change.Document, batch.Snapshot, cancellationToken);
                all.Add(new SampleChange(change.Document.Id, first, second, first is null ? [] : LineDiff.Of(first.Split('\n'), second.Split('\n'))));
            }

            int different = all.Count(s => s.Difference.Count > 0);
            return (all.Count, different, [.. all.OrderByDescending(s => s.Difference.Count > 0).Take(shown)]);
        }
    }

    private static string Describe(EtlTaskConfiguration task, TransformScript script, in ScriptDocument document, IScriptDocuments documents, CancellationToken cancellationToken)
    {
        TransformTrial trial = TransformTrial.Run("plan", task, script, documents, [document], cancellationToken);
        if (trial.NotTaken is not null) return "not taken";
        if (trial.Error is not null) return "error: " + trial.ErrorText;
        if (trial.Messages.Count == 0) return "nothing";
        var text = new StringBuilder();
        foreach (OutgoingMessage message in trial.Messages)
        {
            YamlText.Append(text, 0, "- destination", message.Destination);
            if (message.Key is { } key) YamlText.Append(text, 2, "key", key);
            if (!message.Id.StartsWith(TestDocuments.DatabaseId, StringComparison.Ordinal)) YamlText.Append(text, 2, "id", message.Id);
            if (!message.Type.StartsWith("pipeline.document.", StringComparison.Ordinal)) YamlText.Append(text, 2, "type", message.Type);
            if (!message.Source.StartsWith("/databases/plan/", StringComparison.Ordinal)) YamlText.Append(text, 2, "source", message.Source);
            using JsonDocument body = JsonDocument.Parse(message.Body.IsEmpty ? "null"u8.ToArray() : message.Body);
            YamlText.Append(text, 2, "body", body.RootElement);
        }

        return text.ToString().TrimEnd('\n');
    }
}
