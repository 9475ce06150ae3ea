using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Configuration.Testing;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline test</c>: runs the test cases of a configuration's tasks, or records new ones.</summary>
internal sealed class TestCommand : WorkerCommand
{
    private readonly CommonOptions _common;
    private readonly Argument<string?> _file = new("FILE")
    {
        Description = "The configuration file (default: pipeline.yaml in the current folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };
    private readonly Option<string?> _task = new("--task") { Description = "Only this task.", HelpName = "NAME" };
    private readonly Option<string?> _name = new("--name")
    {
        Description = "Only cases whose name contains this.",
        HelpName = "TEXT",
    };
    private readonly Option<double?> _minCoverage = new("--min-coverage")
    {
        Description =
            "Fail unless this percentage of all script lines ran. Also fails if a script is JavaScript, whose lines are not measured.",
        HelpName = "PERCENT",
    };
    private readonly Option<string?> _junit = new("--junit")
    {
        Description = "Also write the results to this file, as JUnit XML.",
        HelpName = "FILE",
    };
    private readonly Option<int> _record = new("--record")
    {
        Description =
            "Add cases from the last N documents of each task, with the messages that the current transform makes. Runs no existing case.",
        HelpName = "N",
    };
    private readonly Option<string?> _to = new("--to")
    {
        Description = "With --record and --task: write the cases to this separate file (see 'testFiles').",
        HelpName = "FILE",
    };

    public TestCommand(CommonOptions common)
        : base(
            "test",
            "Run the test cases of the tasks and show the differences; exit code 1 if a case fails. Connects to nothing."
        )
    {
        _common = common;
        AddPlain(_file);
        common.AddConfigTo(this);
        common.AddDataTo(this);
        foreach (var option in (Option[])[_task, _name, _minCoverage, _junit, _record, _to])
            Add(option);
        AddJson();
        Validators.Add(result =>
        {
            var records = result.GetResult(_record) is { Implicit: false };
            if (records && result.GetValue(_record) is < 1 or > 1000)
                result.AddError($"--record is {result.GetValue(_record)}; the range is 1 to 1000");
            if (result.GetValue(_minCoverage) is < 0 or > 100)
            {
                result.AddError(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"--min-coverage is {result.GetValue(_minCoverage)}; it is in percent, 0 to 100"
                    )
                );
            }

            if (!records && (result.GetValue(_to) is not null || result.GetValue(common.Data) is not null))
                result.AddError($"{(result.GetValue(_to) is not null ? "--to" : "--data")} goes with --record");
            if (records && result.GetValue(_to) is not null && result.GetValue(_task) is null)
                result.AddError("--to goes with --task: a file holds the cases of one task");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var file =
            run.Parsed.GetValue(_file) ?? run.Parsed.GetValue(_common.Config) ?? WorkerDefaults.ConfigurationFile;
        var tester = TransformTester.Load(file, EnvironmentVariables.Instance, runsCommands: run.Settings.RunsCommands);
        var task = run.Parsed.GetValue(_task);
        if (task is not null && !tester.Tasks.Contains(task))
        {
            throw new WorkerException(
                $"there is no task '{task}' in {file}; {Spelling.Suggest(task, tester.Tasks)}",
                ExitCodes.Usage
            );
        }

        if (run.Parsed.GetResult(_record) is { Implicit: false })
            return await RecordAsync(run, file, task, cancellationToken).ConfigureAwait(false);

        var name = run.Parsed.GetValue(_name);
        var report = tester.Run(task, name, cancellationToken);
        if (run.IsJson)
            await run.PrintAsync(report, "", cancellationToken).ConfigureAwait(false);
        else
            await TestText.WriteAsync(report, run.Console.Out, run.Console.IsOutputTerminal).ConfigureAwait(false);
        if (run.Parsed.GetValue(_junit) is { } junit)
        {
            using var output = File.Create(junit);
            JUnitReport.Write(report, output);
        }

        if (report.Cases == 0)
        {
            throw new WorkerException(
                name is null
                    ? $"{file} has no tests; add 'tests' to a task, or make some with 'pipeline test --record 3'"
                    : $"no case's name contains '{name}'",
                ExitCodes.Usage
            );
        }

        if (run.Parsed.GetValue(_minCoverage) is { } least)
        {
            if (report.Coverage < least)
            {
                throw new WorkerException(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{report.Coverage:0.#} % of the scripts' lines ran, but --min-coverage is {least:0.#} %"
                    ),
                    ExitCodes.Failed
                );
            }

            if (report.NotMeasured is { Count: > 0 } open)
            {
                throw new WorkerException(
                    $"the lines of {string.Join(", ", open.Select(t => $"'{t}'"))} are not measured, since they are JavaScript: --min-coverage cannot hold for them; name a task in C# with --task",
                    ExitCodes.Failed
                );
            }
        }
        return report.Failed == 0 ? ExitCodes.Success : ExitCodes.Failed;
    }

    private async Task<int> RecordAsync(CommandRun run, string file, string? task, CancellationToken cancellationToken)
    {
        var source = DataSource.Find(run.Settings with { Config = file });
        var to = run.Parsed.GetValue(_to);
        RecordedCases recorded;
        try
        {
            recorded = await RunningWorker.FindAtAsync(run, source, cancellationToken).ConfigureAwait(false) is { } url
                ? await AskAsync(run, url, file, task, cancellationToken).ConfigureAwait(false)
                : await OpenAsync(run, source, file, task, cancellationToken).ConfigureAwait(false);
        }
        catch (RecordingException e)
        {
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
        }

        var line =
            $"{recorded.Cases} cases were added to {recorded.File}{(recorded.Known == 0 ? "" : $", {recorded.Known} were there already")}";
        if (to is not null && !File.ReadAllText(file).Contains(Path.GetFileName(to), StringComparison.Ordinal))
            line += $"; name it in {file}: testFiles: [{to}]";
        await run.PrintAsync(recorded, line, cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private async Task<RecordedCases> OpenAsync(
        CommandRun run,
        DataSource source,
        string file,
        string? task,
        CancellationToken cancellationToken
    )
    {
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        return TestRecorder.Record(
            file,
            EnvironmentVariables.Instance,
            opened.Database,
            run.Parsed.GetValue(_record),
            task,
            run.Parsed.GetValue(_to),
            cancellationToken: cancellationToken
        );
    }

    /// <summary>Lets a running worker make the cases, with the scripts of the file.</summary>
    private async Task<RecordedCases> AskAsync(
        CommandRun run,
        string url,
        string file,
        string? task,
        CancellationToken cancellationToken
    )
    {
        var recording = new Recording(
            file,
            EnvironmentVariables.Instance,
            task,
            run.Parsed.GetValue(_to),
            catalog: null
        );
        using var client = new WorkerClient(url);
        foreach (var one in recording.Tasks)
        {
            var body = new
            {
                task = one.Name,
                script = one.Class is null ? one.Transform.Text : null,
                sample = run.Parsed.GetValue(_record),
            };
            var answer = WorkerClient.Read<CasesAnswer>(
                await client
                    .SendAsync(
                        HttpMethod.Post,
                        "/etl/bench/cases",
                        cancellationToken,
                        JsonSerializer.SerializeToUtf8Bytes(body, JsonForms.Line)
                    )
                    .ConfigureAwait(false)
            );
            recording.Add(one, answer.Cases.Select(c => new RecordedCase(c.Name, () => c.Yaml)));
        }

        return recording.Save(cancellationToken);
    }

    private sealed record CasesAnswer(IReadOnlyList<CaseAnswer> Cases);

    private sealed record CaseAnswer(string Name, string Yaml);
}
