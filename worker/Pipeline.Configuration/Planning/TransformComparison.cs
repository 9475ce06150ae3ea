using System.Text;
using System.Text.Json;
using Pipeline.Configuration.Testing;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Configuration.Planning;

/// <summary>
/// Runs two versions of a task's transform over the newest documents that it takes. What it gives went through
/// <paramref name="hide"/>, which masks secrets.
/// </summary>
internal sealed class TransformComparison(
    IChangeFeed feed,
    EtlTaskConfiguration? old,
    EtlTaskConfiguration now,
    Func<string, string> hide
)
{
    /// <summary>Tries both.</summary>
    /// <param name="count">How many documents.</param>
    /// <param name="shown">How many of them to show: first those that differ.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>
    /// How many were tried, how many of them differ, why the old version could not be tried, and some of them.
    /// </returns>
    public (int Tried, int Different, string? OldProblem, IReadOnlyList<SampleChange> Samples) Run(
        int count,
        int shown,
        CancellationToken cancellationToken
    )
    {
        if (count == 0)
            return (0, 0, null, []);
        var faults = new List<Diagnostic>();
        var before = old is null ? null : TransformCompiler.Compile(old, faults);
        var problem =
            old is null || before is not null ? null
            : faults.Count > 0 ? hide(faults[0].ToString())
            : "no transform of before is kept";
        var after =
            TransformCompiler.Compile(now, [])
            ?? throw new InvalidOperationException($"The transform of '{now.Name}' does not compile.");
        using var last = LastDocuments.Read(feed, now, "plan/" + now.Name, count);
        var all = new List<SampleChange>();
        foreach (var document in last.Documents)
        {
            var first = before is null ? null : Describe(old!, before, document, last.Snapshot, cancellationToken);
            var second = Describe(now, after, document, last.Snapshot, cancellationToken);
            all.Add(
                new SampleChange(
                    hide(document.Id),
                    first,
                    second,
                    first is null ? [] : LineDiff.Of(first.Split('\n'), second.Split('\n'))
                )
            );
        }

        var different = all.Count(s => s.Difference.Count > 0);
        return (all.Count, different, problem, [.. all.OrderByDescending(s => s.Difference.Count > 0).Take(shown)]);
    }

    private string Describe(
        EtlTaskConfiguration task,
        TransformScript script,
        in ScriptDocument document,
        IScriptDocuments documents,
        CancellationToken cancellationToken
    )
    {
        var trial = TransformTrial.Run("plan", task, script, documents, [document], cancellationToken);
        if (trial.NotTaken is not null)
            return "not taken";
        if (trial.Error is not null)
            return hide("error: " + trial.ErrorText);
        if (trial.Messages.Count == 0)
            return "nothing";
        var text = new StringBuilder();
        foreach (var message in trial.Messages)
        {
            YamlText.Append(text, 0, "- destination", hide(message.Destination));
            if (message.Key is { } key)
                YamlText.Append(text, 2, "key", hide(key));
            if (!message.Id.StartsWith(TestDocuments.DatabaseId, StringComparison.Ordinal))
                YamlText.Append(text, 2, "id", hide(message.Id));
            if (!message.Type.StartsWith("pipeline.document.", StringComparison.Ordinal))
                YamlText.Append(text, 2, "type", hide(message.Type));
            if (!message.Source.StartsWith("/databases/plan/", StringComparison.Ordinal))
                YamlText.Append(text, 2, "source", hide(message.Source));
            using var body = JsonDocument.Parse(message.Body.IsEmpty ? "null"u8.ToArray() : message.Body);
            YamlText.Append(text, 2, "body", body.RootElement);
        }

        return hide(text.ToString().TrimEnd('\n'));
    }
}
