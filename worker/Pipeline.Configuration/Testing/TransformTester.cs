using System.Diagnostics;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Yaml;
using Pipeline.Yaml.Files;

namespace Pipeline.Configuration.Testing;

/// <summary>Runs the test cases of a configuration's tasks, as the tasks would run. Connects to nothing; variables and
/// secrets may be missing. Used by one thread at a time.</summary>
public sealed class TransformTester
{
    private readonly PipelineConfiguration _configuration;
    private readonly IReadOnlyDictionary<string, TransformScript> _scripts;

    /// <summary>Makes a tester of compiled transforms.</summary>
    /// <param name="configuration">The configuration, with its test files.</param>
    /// <param name="scripts">The transforms by their tasks' names.</param>
    internal TransformTester(PipelineConfiguration configuration, IReadOnlyDictionary<string, TransformScript> scripts)
    {
        _configuration = configuration;
        _scripts = scripts;
    }

    /// <summary>Reads a configuration with its test files, and compiles its transforms for coverage.</summary>
    /// <param name="file">The configuration file.</param>
    /// <param name="variables">The values of <c>${VAR}</c> references.</param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    /// <param name="runsCommands">
    /// Whether <c>secrets.command</c> is run. Where it is not, secret files outside the configuration's folder are not
    /// read either, and the settings that need them are not set.
    /// </param>
    /// <param name="transforms">The transforms that are classes of this program.</param>
    /// <exception cref="ConfigurationException">It has faults; all of them are in it.</exception>
    public static TransformTester Load(
        string file,
        IVariableSource variables,
        ConnectorCatalog? catalog = null,
        bool runsCommands = false,
        TransformCatalog? transforms = null
    )
    {
        var configuration = PipelineConfiguration.LoadForTests(
            file,
            variables,
            catalog ?? ConnectorCatalog.BuiltIn,
            runsCommands: runsCommands
        );
        configuration.Use(transforms);
        var diagnostics = new List<Diagnostic>();
        var scripts = new Dictionary<string, TransformScript>(StringComparer.Ordinal);
        foreach (var task in configuration.Etl)
        {
            if (TransformCompiler.Compile(task, diagnostics, covers: true) is { } script)
                scripts[task.Name] = script;
        }

        return diagnostics.Count == 0
            ? new TransformTester(configuration, scripts)
            : throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
    }

    /// <summary>The tasks' names, in the file's order.</summary>
    public IEnumerable<string> Tasks => _configuration.Etl.Select(t => t.Name);

    /// <summary>Runs cases.</summary>
    /// <param name="task">Only those of this task; of all where <see langword="null"/>.</param>
    /// <param name="name">Only those whose name contains this, without case.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public TestReport Run(string? task = null, string? name = null, CancellationToken cancellationToken = default)
    {
        var tasks = new List<TaskTestResult>();
        foreach (var one in _configuration.Etl.Where(t => task is null || t.Name == task))
        {
            var cases = one
                .Tests.Where(c => name is null || c.Name.Contains(name, StringComparison.OrdinalIgnoreCase))
                .Select(c => RunCase(one, c, cancellationToken))
                .ToList();
            ScriptLine[] lines = [.. _scripts[one.Name].Coverage?.Lines.Where(l => l.Source is null) ?? []];
            int[] uncovered = [.. lines.Where(l => !l.IsCovered).Select(l => one.Transform.Locate(l.Line, 1).Line)];
            tasks.Add(
                new TaskTestResult(one.Name, cases, lines.Length - uncovered.Length, lines.Length, uncovered)
                {
                    HasCoverage = _scripts[one.Name].Coverage is not null,
                }
            );
        }

        return new TestReport(_configuration.File, tasks) { Helpers = task is null ? Helpers() : [] };
    }

    // A line counts as run if any task ran it: each task is compiled with its own copy of the helpers.
    private List<HelperTestResult> Helpers()
    {
        var results = new List<HelperTestResult>();
        var all = _scripts
            .Values.SelectMany(s => s.Coverage?.Lines ?? [])
            .Where(l => l.Source is not null)
            .ToLookup(l => l.Source!);
        foreach ((var name, var text) in _configuration.Helpers.Where(h => all.Contains(h.Key)))
        {
            var lines = all[name]
                .GroupBy(
                    l => l.Line,
                    (line, same) => (Line: text.Locate(line, 1).Line, IsCovered: same.Any(l => l.IsCovered))
                )
                .OrderBy(l => l.Line)
                .ToList();
            results.Add(
                new HelperTestResult(
                    name,
                    lines.Count(l => l.IsCovered),
                    lines.Count,
                    [.. lines.Where(l => !l.IsCovered).Select(l => l.Line)]
                )
            );
        }

        return results;
    }

    /// <summary>Runs one case.</summary>
    internal TestCaseResult RunCase(
        EtlTaskConfiguration task,
        TestCaseConfiguration test,
        CancellationToken cancellationToken
    )
    {
        var started = Stopwatch.GetTimestamp();
        IReadOnlyList<string> failure;
        try
        {
            failure = test.Open.Count > 0 ? test.Open : Compare(task, test, cancellationToken);
        }
        catch (FormatException e)
        {
            failure = [e.Message];
        }

        return new TestCaseResult(
            test.Name,
            test.File,
            test.Line,
            test.Column,
            Stopwatch.GetElapsedTime(started),
            failure
        );
    }

    private List<string> Compare(
        EtlTaskConfiguration task,
        TestCaseConfiguration test,
        CancellationToken cancellationToken
    )
    {
        var documents = new TestDocuments();
        foreach (var loaded in test.Loaded)
            documents.Add(loaded, test.File, null);
        var first = task.From.FirstOrDefault(f => f != EtlTaskConfiguration.AllDocuments);
        List<ScriptDocument> changed =
        [
            .. (test.Documents ?? [test.Document!]).Select(d => documents.Add(d, test.File, first)),
        ];
        var trial = TransformTrial.Run(
            _configuration.Database.Name,
            task,
            _scripts[task.Name],
            documents,
            changed,
            cancellationToken
        );
        if (test.Error is { } error)
        {
            if (trial.Error is null)
                return [$"it must fail with '{error}', but it sent {trial.Messages.Count} messages"];
            return trial.ErrorText!.Contains(error, StringComparison.Ordinal)
                ? []
                : LineDiff.Of([error], [trial.ErrorText]);
        }

        if (trial.Error is not null)
            return ["the transform failed: " + trial.ErrorText];
        var difference = ExpectedMessages.Compare(test.Expect!, trial.Messages);
        if (difference.Count > 0 && trial.NotTaken is { } notTaken)
            difference.Insert(0, notTaken);
        return difference;
    }
}
