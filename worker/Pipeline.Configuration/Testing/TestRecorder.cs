using System.Text;
using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;
using Pipeline.Yaml.Files;

namespace Pipeline.Configuration.Testing;

/// <summary>Makes test cases from the last documents of a database.</summary>
public static class TestRecorder
{
    /// <summary>Appends cases to the task's cases in a configuration file, or to a separate file. Each case expects the
    /// messages that the transform makes from its document now. The file is replaced as a whole; if anything fails, it
    /// stays unchanged.</summary>
    /// <param name="file">The configuration file.</param>
    /// <param name="variables">Gives the values of <c>${VAR}</c>.</param>
    /// <param name="database">The database that holds the documents.</param>
    /// <param name="count">How many documents to record for each task: the last ones that it would take.</param>
    /// <param name="task">The task to record for, or <see langword="null"/> for all.</param>
    /// <param name="target">The separate file, which is created or appended to, or <see langword="null"/> for the
    /// configuration file. Requires
    /// <paramref name="task"/>.</param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ConfigurationException">The configuration has faults.</exception>
    /// <exception cref="RecordingException">The cases cannot be put into the file.</exception>
    public static RecordedCases Record(
        string file,
        IVariableSource variables,
        DocumentDatabase database,
        int count,
        string? task,
        string? target,
        ConnectorCatalog? catalog = null,
        CancellationToken cancellationToken = default
    )
    {
        catalog ??= ConnectorCatalog.BuiltIn;
        var path = target ?? file;
        string before = File.Exists(path) ? File.ReadAllText(path) : "",
            text = before;
        TestFileText? Beside(string content) =>
            target is null ? null : new TestFileText(task!, Path.GetFullPath(target), content);
        var configuration = PipelineConfiguration.LoadForTests(file, variables, catalog, Beside(before));
        var diagnostics = new List<Diagnostic>();
        var scripts = new Dictionary<string, TransformScript>(StringComparer.Ordinal);
        (var cases, var known) = (0, 0);
        foreach (var one in configuration.Etl.Where(t => task is null || t.Name == task))
        {
            if (TransformCompiler.Compile(one, diagnostics) is not { } script)
                throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
            scripts[one.Name] = script;
            var place = target is null ? CaseFile.Find(file, text, one.Name) : null;
            (var written, var made, var left) = Write(
                configuration.Database.Name,
                one,
                script,
                database,
                count,
                place?.Indent ?? 0,
                cancellationToken
            );
            (cases, known) = (cases + made, known + left);
            if (made > 0)
            {
                text = place is null
                    ? (text.Length == 0 || text.EndsWith('\n') ? text : text + "\n") + written
                    : CaseFile.Insert(text, place, written);
            }
        }

        if (cases > 0)
        {
            new RecordingCheck(configuration, scripts, variables, catalog).Run(
                target is null ? text : File.ReadAllText(file),
                Beside(before),
                Beside(text),
                cases,
                cancellationToken
            );
            Replace(path, text);
        }

        return new RecordedCases(cases, known, path);
    }

    // Replaces the target of a link, not the link. The new file keeps the permissions of the old one.
    private static void Replace(string path, string text)
    {
        string final =
                (File.Exists(path) ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName : null) ?? path,
            next = final + ".new";
        File.Delete(next);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        UnixFileMode? mode = !OperatingSystem.IsWindows() && File.Exists(final) ? File.GetUnixFileMode(final) : null;
        if (!OperatingSystem.IsWindows() && mode is { } least)
            options.UnixCreateMode = least;
        try
        {
            using (var writer = new StreamWriter(next, options))
                writer.Write(text);
            if (!OperatingSystem.IsWindows() && mode is { } same)
                File.SetUnixFileMode(next, same);
            File.Move(next, final, overwrite: true);
        }
        catch
        {
            File.Delete(next);
            throw;
        }
    }

    private static (string Text, int Made, int Known) Write(
        string name,
        EtlTaskConfiguration task,
        TransformScript script,
        DocumentDatabase database,
        int count,
        int indent,
        CancellationToken cancellationToken
    )
    {
        var feed = new DatabaseChangeFeed(database);
        var names = new HashSet<string>(task.Tests.Select(t => t.Name), StringComparer.Ordinal);
        using var last = LastDocuments.Read(feed, task, "record/" + task.Name, count);
        var text = new StringBuilder();
        var writer = new CaseWriter(task, last.Snapshot);
        (var made, var known) = (0, 0);
        foreach (var document in last.Documents)
        {
            if (!names.Add(CaseWriter.NameOf(document)))
            {
                known++;
                continue;
            }

            text.Append(writer.Write(document, name, script, indent, cancellationToken));
            made++;
        }

        return (text.ToString(), made, known);
    }
}
