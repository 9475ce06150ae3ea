using Pipeline.Etl.Connectors;
using Pipeline.Scripting;
using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Makes sure, before anything is written, that a file with recorded cases can be run and that the cases pass.
/// </summary>
/// <param name="before">The current configuration.</param>
/// <param name="scripts">The transforms that made the recording, by task.</param>
/// <param name="variables">What variables stand for.</param>
/// <param name="catalog">The connector kinds.</param>
internal sealed class RecordingCheck(
    PipelineConfiguration before,
    IReadOnlyDictionary<string, TransformScript> scripts,
    IVariableSource variables,
    ConnectorCatalog catalog
)
{
    private const int MaxNamed = 3;

    /// <summary>Checks it.</summary>
    /// <param name="text">The new text of the configuration file.</param>
    /// <param name="was">The current text of the file of cases, if the cases go into a separate file.</param>
    /// <param name="beside">The new text of that file.</param>
    /// <param name="cases">How many cases were added.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="RecordingException">
    /// It has faults that the file had not, something else changed, or a new case fails.
    /// </exception>
    public void Run(
        string text,
        TestFileText? was,
        TestFileText? beside,
        int cases,
        CancellationToken cancellationToken
    )
    {
        var known = Read(File.ReadAllText(before.File), was, isLenient: false).Faults;
        var found = Read(text, beside, isLenient: false).Faults;

        // Lines move, so a fault is known by its text, as often as it was there.
        var counts = known.CountBy(d => d.Message).ToDictionary();
        var added = found.Find(d => !counts.TryGetValue(d.Message, out var left) || (counts[d.Message] = left - 1) < 0);
        if (added is not null)
            throw new RecordingException($"Nothing was recorded, because the file would then have a fault: {added}.");
        (var after, var faults) = Read(text, beside, isLenient: true);
        var isSound =
            faults.Count == 0
            && after!.Etl.Sum(t => t.Tests.Count) == before.Etl.Sum(t => t.Tests.Count) + cases
            && after.Etl.Select(t => t.Transform.Text).SequenceEqual(before.Etl.Select(t => t.Transform.Text));
        if (!isSound)
        {
            throw new RecordingException(
                $"{beside?.Path ?? before.File} has a YAML style that cases cannot be added to; use --to FILE."
            );
        }

        RunAdded(after!, cancellationToken);
    }

    private void RunAdded(PipelineConfiguration after, CancellationToken cancellationToken)
    {
        var tester = new TransformTester(after, scripts);
        var failed = new List<TestCaseResult>();
        foreach (var task in after.Etl.Where(t => scripts.ContainsKey(t.Name)))
        {
            HashSet<string> there = [.. before.Etl.First(t => t.Name == task.Name).Tests.Select(t => t.Name)];
            failed.AddRange(
                task.Tests.Where(t => !there.Contains(t.Name))
                    .Select(t => tester.RunCase(task, t, cancellationToken))
                    .Where(r => !r.Passed)
            );
        }

        if (failed.Count == 0)
            return;
        var which = string.Join(
            "; ",
            failed
                .Take(MaxNamed)
                .Select(f =>
                    $"'{f.Name}': {string.Join(' ', f.Failure.Where(l => l.StartsWith('+') || l.StartsWith('-') || f.Failure.Count == 1).Take(4))}"
                )
        );
        var more = failed.Count > MaxNamed ? $"; and {failed.Count - MaxNamed} more" : "";
        throw new RecordingException(
            $"Nothing was recorded: {failed.Count} of the cases would not pass. The transform gives another result for the inputs that a case can express: {which}{more}."
        );
    }

    private (PipelineConfiguration? Configuration, List<Diagnostic> Faults) Read(
        string text,
        TestFileText? beside,
        bool isLenient
    )
    {
        var diagnostics = new List<Diagnostic>();
        var configuration = ConfigurationReader.Read(
            before.File,
            text,
            variables,
            catalog,
            diagnostics,
            isLenient,
            readsTestFiles: true,
            beside,
            sources: SecretSources.OwnFiles
        );
        return (configuration, [.. diagnostics.Where(d => !d.IsWarning)]);
    }
}
