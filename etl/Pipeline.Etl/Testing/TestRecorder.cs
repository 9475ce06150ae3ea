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
        string path = target ?? file;
        string before = File.Exists(path) ? File.ReadAllText(path) : "", text = before;
        TestFileText? Beside(string content) => target is null ? null : new TestFileText(task!, Path.GetFullPath(target), content);
        var configuration = PipelineConfiguration.LoadForTests(file, variables, catalog, Beside(before));
        var diagnostics = new List<Diagnostic>();
        var scripts = new Dictionary<string, TransformScript>(StringComparer.Ordinal);
        (int cases, int known) = (0, 0);
        foreach (EtlTaskConfiguration one in configuration.Etl.Where(t => task is null || t.Name == task))
        {
            if (TransformCompiler.Compile(one, diagnostics) is not { } script) throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
            scripts[one.Name] = script;
            CaseFile.Place? place = target is null ? CaseFile.Find(file, text, one.Name) : null;
            (string written, int made, int left) = Write(configuration.Database.Name, one, script, database, count, place?.Indent ?? 0, cancellationToken);
            (cases, known) = (cases + made, known + left);
            if (made > 0) text = place is null ? (text.Length == 0 || text.EndsWith('\n') ? text : text + "\n") + written : CaseFile.Insert(text, place, written);
        }

        if (cases > 0)
        {
            new RecordingCheck(configuration, scripts, variables, catalog).Run(target is null ? text : File.ReadAllText(file), Beside(before), Beside(text), cases, cancellationToken);
            Replace(path, text);
        }

        return new RecordedCases(cases, known, path);
    }

    // What a link leads to is replaced, not the link; the new file keeps the old one's rights.
    private static void Replace(string path, string text)
    {
        string final = (File.Exists(path) ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName : null) ?? path, next = final + ".new";
        File.Delete(next);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        UnixFileMode? mode = !OperatingSystem.IsWindows() && File.Exists(final) ? File.GetUnixFileMode(final) : null;
        if (!OperatingSystem.IsWindows() && mode is { } least) options.UnixCreateMode = least;
        try
        {
            using (var writer = new StreamWriter(next, options)) writer.Write(text);
            if (!OperatingSystem.IsWindows() && mode is { } same) File.SetUnixFileMode(next, same);
            File.Move(next, final, overwrite: true);
        }
        catch
        {
            File.Delete(next);
            throw;
        }
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
}
