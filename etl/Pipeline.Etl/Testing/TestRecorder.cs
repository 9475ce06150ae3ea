using System.Text;
using Pipeline.Database;
using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Testing;

/// <summary>Makes test cases of the last documents of a database.</summary>
public static class TestRecorder
{
    /// <summary>Adds cases to a configuration file, after those that are there, or to a file beside it. What the transform makes of a document now becomes what
    /// its case expects. The file is replaced as a whole, or left as it is where anything fails.</summary>
    /// <param name="file">The configuration file.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for where it is set.</param>
    /// <param name="database">Where the documents are.</param>
    /// <param name="count">How many documents of each task, the last that it would take.</param>
    /// <param name="task">Only for this task; for all where <see langword="null"/>.</param>
    /// <param name="target">The file beside; <see langword="null"/> for the configuration file. It is made, or added to. With it a task must be named.</param>
    /// <param name="catalog">The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> where <see langword="null"/>.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ConfigurationException">The configuration has faults.</exception>
    /// <exception cref="RecordingException">The cases cannot be put into the file.</exception>
    public static RecordedCases Record(
        string file, IVariableSource variables, DocumentDatabase database, int count, string? task, string? target, ConnectorCatalog? catalog = null, CancellationToken cancellationToken = default)
    {
        catalog ??= ConnectorCatalog.BuiltIn;
        PipelineConfiguration configuration = PipelineConfiguration.LoadForTests(file, variables, catalog);
        var diagnostics = new List<Diagnostic>();
        string path = target ?? file;
        string before = File.Exists(path) ? File.ReadAllText(path) : "", text = before;
        (int cases, int known) = (0, 0);
        foreach (EtlTaskConfiguration one in configuration.Etl.Where(t => task is null || t.Name == task))
        {
            if (TransformCompiler.Compile(one, diagnostics) is not { } script) throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
            CaseFile.Place? place = target is null ? CaseFile.Find(file, text, one.Name) : null;
            (string written, int made, int left) = Write(configuration.Database.Name, one, script, database, count, place?.Indent ?? 0, cancellationToken);
            (cases, known) = (cases + made, known + left);
            if (made > 0) text = place is null ? (text.Length == 0 || text.EndsWith('\n') ? text : text + "\n") + written : CaseFile.Insert(text, place, written);
        }

        if (cases > 0)
        {
            if (target is null) Verify(configuration, text, variables, catalog, cases);
            string next = path + ".new";
            File.WriteAllText(next, text);
            File.Move(next, path, overwrite: true);
        }

        return new RecordedCases(cases, known, path);
    }

    private static (string Text, int Made, int Known) Write(
        string name, EtlTaskConfiguration task, TransformScript script, DocumentDatabase database, int count, int indent, CancellationToken cancellationToken)
    {
        var feed = new DatabaseChangeFeed(database);
        var names = new HashSet<string>(task.Tests.Select(t => t.Name), StringComparer.Ordinal);
        CursorFilter filter = task.ToFilter() with { Deletes = false };
        var cursor = DurableCursor.Open(feed, "record/" + task.Name, filter);

        // From ever further back, since a collection's last documents may stand anywhere.
        for (long window = Math.Max(1024, 4L * count); ; window *= 8)
        {
            using CursorBatch batch = cursor.ReadBatch(Math.Max(0, feed.LastPosition - window), int.MaxValue, long.MaxValue);
            if (batch.Changes.Count < count && window < feed.LastPosition) continue;
            var text = new StringBuilder();
            var writer = new CaseWriter(task, batch.Snapshot);
            (int made, int known) = (0, 0);
            foreach (FeedChange change in batch.Changes.Skip(batch.Changes.Count - count))
            {
                if (!names.Add(CaseWriter.NameOf(change.Document)))
                {
                    known++;
                    continue;
                }

                text.Append(writer.Write(change.Document, name, script, indent, cancellationToken));
                made++;
            }

            return (text.ToString(), made, known);
        }
    }

    private static void Verify(PipelineConfiguration configuration, string text, IVariableSource variables, ConnectorCatalog catalog, int cases)
    {
        var diagnostics = new List<Diagnostic>();
        PipelineConfiguration? after = ConfigurationReader.Read(configuration.File, text, variables, catalog, diagnostics, isLenient: true, readsTestFiles: true);
        bool isSound = diagnostics.TrueForAll(d => d.IsWarning) && after!.Etl.Sum(t => t.Tests.Count) == configuration.Etl.Sum(t => t.Tests.Count) + cases
            && after.Etl.Select(t => t.Transform.Text).SequenceEqual(configuration.Etl.Select(t => t.Transform.Text));
        if (!isSound) throw new RecordingException($"{configuration.File} is written in a way that cases cannot be added to; use --to FILE.");
    }
}
