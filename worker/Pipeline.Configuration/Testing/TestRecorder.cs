using Pipeline.Database;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

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
        var recording = new Recording(file, variables, task, target, catalog);
        var feed = new DatabaseChangeFeed(database);
        foreach (var one in recording.Tasks)
        {
            using var last = LastDocuments.Read(feed, one, "record/" + one.Name, count);
            var writer = new CaseWriter(one, last.Snapshot);
            recording.Add(
                one,
                last.Documents.Select(d => new RecordedCase(
                    CaseWriter.NameOf(d),
                    () =>
                        writer.Write(
                            d,
                            recording.Configuration.Database.Name,
                            recording.ScriptOf(one),
                            0,
                            cancellationToken
                        )
                ))
            );
        }

        return recording.Save(cancellationToken);
    }
}
