using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// A stranger's file can be linted, tested and planned: none of its commands runs, and the faults show no other file.
/// </summary>
public sealed class UntrustedFileTests : IDisposable
{
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(30);
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private bool HasRun => File.Exists(_folder["ran"]);

    [SkippableTheory]
    [InlineData("lint", "{file}")]
    [InlineData("lint", "--no-variables", "{file}")]
    [InlineData("test", "{file}")]
    [InlineData("plan", "--config", "{file}")]
    [InlineData("stats", "--config", "{file}")]
    [InlineData("test", "--record", "1", "{file}")]
    public async Task Commands_of_the_file_run_only_where_that_is_asked_for(params string[] arguments)
    {
        Skip.If(OperatingSystem.IsWindows(), "The command is a shell's.");
        var file = Write("./out/${command:x}");
        await ImportAsync(file);
        string[] words = [.. arguments.Select(a => a.Replace("{file}", file, StringComparison.Ordinal))];
        var run = await WorkerRun.InvokeAsync(words);
        Assert.Equal("", run.Error);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.False(HasRun, $"{string.Join(' ', words)} ran the file's command");
        if (words is ["lint", not "--no-variables"])
        {
            Assert.Contains(
                "no faults; 1 task, 1 connection; 1 value not checked, since lint runs no commands (--run-commands)",
                run.Out,
                StringComparison.Ordinal
            );
        }

        await WorkerRun.InvokeAsync([.. words, "--run-commands"]);
        Assert.True(HasRun);
    }

    [SkippableFact]
    public async Task A_plan_says_which_settings_it_does_not_compare_and_calls_them_unchanged()
    {
        Skip.If(OperatingSystem.IsWindows(), "The command is a shell's.");
        var file = Write("./out/${command:x}");
        await ImportAsync(file);
        Directory.CreateDirectory(_folder["out/hunter22"]);
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("run", "--config", file, "--once")).ExitCode);
        Assert.True(HasRun);
        File.Delete(_folder["ran"]);
        var plan = await WorkerRun.InvokeAsync("plan", "--config", file);
        Assert.Equal("", plan.Error);
        Assert.Contains("  task t: unchanged", plan.Out, StringComparison.Ordinal);
        Assert.Contains(
            "    connection.directory: not compared, because its secret was not read (--run-commands runs secrets.command)",
            plan.Out,
            StringComparison.Ordinal
        );
        Assert.False(HasRun);
        Assert.DoesNotContain(
            "not compared",
            (await WorkerRun.InvokeAsync("plan", "--config", file, "--run-commands")).Out,
            StringComparison.Ordinal
        );
        Assert.True(HasRun);
    }

    [SkippableTheory]
    [InlineData(
        "database: { name: a, path: ./data, encryption: { keyCommand: 'touch ran; echo x' } }",
        "database.encryption.keyCommand"
    )]
    [InlineData("database: { name: a, path: './${command:x}' }", "2:28: database.path needs ${command:x}")]
    public async Task What_the_database_needs_is_refused_by_name(string database, string expected)
    {
        Skip.If(OperatingSystem.IsWindows(), "The command is a shell's.");
        var file = Write("./out", database);
        foreach (var command in new[] { "plan", "stats", "export", "check" })
        {
            var run = await WorkerRun.InvokeAsync(command, "--config", file);
            Assert.Equal(ExitCodes.Usage, run.ExitCode);
            Assert.Contains(expected, run.Error, StringComparison.Ordinal);
            Assert.Contains("--run-commands", run.Error, StringComparison.Ordinal);
        }

        Assert.False(HasRun);
    }

    [SkippableFact]
    public async Task The_key_of_a_backup_and_secrets_of_its_destinations_are_refused_by_name()
    {
        Skip.If(OperatingSystem.IsWindows(), "The command is a shell's.");
        var file = Write(
            "./out",
            more: "backups: [{ name: b, to: [{ folder: ./backups }], encryption: { keyCommand: 'touch ran; echo x' } }]"
        );
        await ImportAsync(file);
        foreach (
            var words in (string[][])
                [
                    ["backup", "list"],
                    ["backup", "run", "b"],
                ]
        )
        {
            var run = await WorkerRun.InvokeAsync([.. words, "--config", file]);
            Assert.Contains(
                "the key of backup 'b' comes from encryption.keyCommand",
                run.Error,
                StringComparison.Ordinal
            );
        }

        file = Write("./out", more: "backups: [{ name: b, to: [{ folder: './${command:x}' }] }]");
        Assert.Contains(
            "needs ${command:x}",
            (await WorkerRun.InvokeAsync("backup", "list", "--config", file)).Error,
            StringComparison.Ordinal
        );
        Assert.False(HasRun);
    }

    [SkippableTheory]
    [InlineData("/etc/passwd", "is outside the folder of this file")]
    [InlineData("../outside.yaml", "is outside the folder of this file")]
    [InlineData("link", "is outside the folder of this file")]
    [InlineData("folder/passwd", "is outside the folder of this file")]
    [InlineData("pipe", "is not a regular file")]
    public async Task A_test_file_is_a_regular_file_beside_or_beneath(string name, string expected)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no /etc/passwd.");
        File.CreateSymbolicLink(_folder["link"], "/etc/passwd");
        Directory.CreateSymbolicLink(_folder["folder"], "/etc");
        using (var make = System.Diagnostics.Process.Start("mkfifo", _folder["pipe"]))
            await make.WaitForExitAsync();
        var file = _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: a, path: ./data }
            connections: { c: { files: { directory: out } } }
            etl:
              - { name: t, from: [As], to: c, transform: 'return;', testFiles: ['{{name}}'] }

            """
        );
        var run = await WorkerRun.InvokeAsync("lint", "--no-variables", file).WaitAsync(Hang);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(expected, run.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("root", run.Out, StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task A_configuration_that_never_ends_or_never_begins_is_refused()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no such devices.");
        using (var make = System.Diagnostics.Process.Start("mkfifo", _folder["pipe"]))
            await make.WaitForExitAsync();
        Assert.Contains(
            "MaxFileBytes",
            (await WorkerRun.InvokeAsync("lint", "/dev/zero").WaitAsync(Hang)).Out,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "not a regular file",
            (await WorkerRun.InvokeAsync("lint", _folder["pipe"]).WaitAsync(Hang)).Out,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Without_variables_no_secret_file_of_another_folder_is_read()
    {
        using var elsewhere = new TestFolder();
        var file = Write(
            "./out",
            connection: $"{{ files: {{ directory: ./out, maxMessageBytes: '${{file:{elsewhere.Write("token", "0")}}}' }} }}"
        );
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("lint", file)).ExitCode);
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("lint", "--no-variables", file)).ExitCode);
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("test", file)).ExitCode);
    }

    private static string Command =>
        OperatingSystem.IsWindows()
            ? "[cmd, /c, 'echo.>ran&echo hunter22&rem']"
            : "[/bin/sh, -c, 'touch ran; echo hunter22']";

    private string Write(
        string directory,
        string database = "database: { name: a, path: ./data }",
        string more = "",
        string? connection = null
    ) =>
        _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            {{database}}
            secrets: { command: {{Command}} }
            connections:
              c: {{connection ?? $$"""{ files: { directory: "{{directory}}" } }"""}}
            etl:
              - name: t
                from: [As]
                to: c
                transform: 'send("x", doc);'
                tests:
                  - { name: n, document: { id: as/1, body: { A: 1 } }, expect: [{ destination: x, body: { A: 1 } }] }
            {{more}}

            """
        );

    private async Task ImportAsync(string file)
    {
        var documents = _folder.Write(
            "documents.jsonl",
            """{"A":1,"@metadata":{"@id":"as/1","@collection":"As"}}""" + "\n"
        );
        var run = await WorkerRun.InvokeAsync("import", "--config", file, documents);
        Assert.Equal("", run.Error);
    }
}
