using System.Diagnostics;
using System.Globalization;
using Pipeline.Configuration;
using Pipeline.EtlKit.Configuration;
using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;
using Xunit;

namespace Pipeline.Etl.Tests.Configuration;

public sealed class SecretTests : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-secrets-").FullName;

    // The same scripts for the shell of Windows, which takes more than one line only from a file.
    private static readonly Dictionary<string, string> OfWindows = new()
    {
        ["echo hunter-$1"] = "echo hunter-%1",
        ["echo hunter2; exit 3"] = "echo hunter2\r\nexit 3",
        // Elsewhere, because a program that is being ended keeps its folder for a moment.
        ["sleep 100"] = "cd /d %SystemRoot%\r\nping -n 100 127.0.0.1 >nul",
        ["yes hunter2"] = $":again\r\necho hunter2 {new string('x', 2000)}\r\ngoto again",
    };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Secrets_come_from_files_and_a_command()
    {
        File.WriteAllText(Path.Combine(_folder, "password"), "hunter-file\r\n\n");
        var c = Parse(
            "{ probe: { name: \"a ${file:password} b\", password: \"${command:db/password}\" } }",
            Command("echo hunter-$1")
        );
        var options = (ProbeOptions)c.Connections["c"].Options;
        Assert.Equal("a hunter-file b", options.Name);
        Assert.Equal("hunter-db/password", options.Password);
        Assert.Equal("*** and ***, not hunter", c.Redact("hunter-file and hunter-db/password, not hunter"));
        Assert.DoesNotContain("hunter", c.Connections["c"].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_name_takes_its_place_among_the_commands_words()
    {
        var c = Parse(
            "{ probe: { name: \"${command:x}\" } }",
            $"secrets: {{ command: [{(OperatingSystem.IsWindows() ? "cmd, /c, " : "")}echo, \"{{name}}!\", \"${{WORD:-end}}\"] }}\n"
        );
        Assert.Equal("x! end", ((ProbeOptions)c.Connections["c"].Options).Name);
    }

    [Theory]
    [InlineData(
        "${file:none}",
        "",
        "there is no secret file 'none'; create it, or correct the path; a relative path starts at this file's folder"
    )]
    [InlineData("${file:}", "", "${file:} names no file; write ${file:/run/secrets/password}")]
    [InlineData(
        "${command:x}",
        "",
        "there is no command for ${command:x}; add it: secrets: { command: [program, argument] }"
    )]
    [InlineData("${command:x}", "echo hunter2; exit 3", "the command for ${command:x} ended with exit code 3")]
    [InlineData("${command:x}", "sleep 100", "the command for ${command:x} took longer than secrets.timeout = 200ms")]
    [InlineData("${command:x}", "yes hunter2", "the command for ${command:x} printed more than 65536 bytes (MaxBytes)")]
    public void A_secret_that_cannot_be_read_is_a_fault_at_its_place(string value, string script, string expected)
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            Parse($"{{ probe: {{ name: \"{value}\" }} }}", script.Length == 0 ? "" : Command(script))
        );
        var fault = Assert.Single(e.Diagnostics);
        Assert.EndsWith(": " + expected, fault.ToString(), StringComparison.Ordinal);
        Assert.Equal(24, fault.Column);
    }

    [SkippableFact]
    public async Task A_pipe_that_nobody_writes_is_refused_and_not_waited_for()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no named pipes in folders.");
        using (var make = Process.Start("mkfifo", Path.Combine(_folder, "pipe")))
            await make.WaitForExitAsync();
        var e = await Assert.ThrowsAsync<ConfigurationException>(() =>
            Task.Run(() => Parse("{ probe: { name: \"${file:pipe}\" } }", "")).WaitAsync(Timeout)
        );
        Assert.EndsWith("is not a regular file", Assert.Single(e.Diagnostics).Message, StringComparison.Ordinal);
        File.WriteAllText(Path.Combine(_folder, "real"), "value");
        File.CreateSymbolicLink(Path.Combine(_folder, "link"), "real");
        Assert.Equal(
            "value",
            ((ProbeOptions)Parse("{ probe: { name: \"${file:link}\" } }", "").Connections["c"].Options).Name
        );
    }

    [SkippableFact]
    public async Task The_timeout_holds_though_a_process_left_behind_keeps_the_output_open()
    {
        Skip.If(OperatingSystem.IsWindows(), "The command is a shell's.");
        const string secrets =
            "secrets: { command: [/bin/sh, -c, 'sleep 100 & echo $! > pid; echo x', sh], timeout: 1s }\n";
        try
        {
            var e = await Assert.ThrowsAsync<ConfigurationException>(() =>
                Task.Run(() => Parse("{ probe: { name: \"${command:x}\" } }", secrets)).WaitAsync(Timeout)
            );
            Assert.EndsWith(
                "took longer than secrets.timeout = 1s",
                Assert.Single(e.Diagnostics).Message,
                StringComparison.Ordinal
            );
        }
        finally
        {
            using var left = Process.GetProcessById(
                int.Parse(File.ReadAllText(Path.Combine(_folder, "pid")), CultureInfo.InvariantCulture)
            );
            left.Kill();
        }
    }

    [Fact]
    public void A_command_that_is_not_there_is_named()
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            Parse("{ probe: { name: \"${command:x}\" } }", "secrets: { command: [/nowhere/vault] }\n")
        );
        Assert.Contains("the command for ${command:x} cannot be started: ", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_command_itself_takes_no_secrets()
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            Parse("{ probe: { name: n } }", "secrets: { command: [\"${command:x}\"] }\n")
        );
        Assert.Contains(
            "'${command:…}' cannot stand here; it is for values outside 'secrets'",
            e.Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("amqp://user:p%40ss-word@host:5672/", "p%40ss-word", "p@ss-word")]
    [InlineData(
        "AccountName=me;AccountKey=QUJDREVGRw==;EndpointSuffix=x",
        "QUJDREVGRw==",
        "AccountName=me;AccountKey=QUJDREVGRw==;EndpointSuffix=x"
    )]
    [InlineData("https://a.queue.core.windows.net/?sv=2021&sig=abc%2Fdef", "abc%2Fdef", "abc/def")]
    [InlineData("plain-secret", "plain-secret", "plain-secret")]
    public void What_is_secret_within_a_value_is_masked_alone_too(string value, params string[] within)
    {
        var secrets = new SecretValues();
        secrets.Add(value);
        Assert.All(within, w => Assert.Equal("<***>", secrets.Redact($"<{w}>")));
        Assert.Equal("another text", secrets.Redact("another text"));
    }

    [Fact]
    public void Lint_without_variables_checks_all_the_rest()
    {
        var file = Path.Combine(_folder, "pipeline.yaml");
        File.WriteAllText(
            file,
            """
            version: 1
            database: { name: "${A}", path: "${B}", encryption: { keyFile: "${C}" } }
            secrets: { command: ["${D}"] }
            connections:
              c: { probe: { name: "${file:none}", count: "${E}", wait: 5 } }
            etl:
              - { name: "${F}", from: ["${G}"], to: "${H}", transform: "nonsense();" }
            server: { url: "${I}" }
            """
        );
        Assert.True(PipelineConfiguration.Lint(file, FixedVariables.None, ProbeDefinition.Catalog).Count > 8);
        string[] found =
        [
            .. PipelineConfiguration
                .Lint(file, FixedVariables.None, ProbeDefinition.Catalog, ignoresVariables: true)
                .Select(d => $"{d.Line}: {d.Message}"),
        ];
        Assert.Equal(2, found.Length);
        Assert.Equal("5: connections.c.probe.wait must be a duration such as 500ms, 5s, 2m or 1h, found '5'", found[0]);
        Assert.StartsWith("7: transform of '': CS0103", found[1], StringComparison.Ordinal);
    }

    private string Command(string script)
    {
        var words = $"/bin/sh, -c, '{script}', sh";
        if (OperatingSystem.IsWindows())
        {
            File.WriteAllText(Path.Combine(_folder, "run.cmd"), $"@echo off\r\n{OfWindows[script]}\r\n");
            words = "cmd, /c, run.cmd";
        }

        var timeout = script.StartsWith("sleep", StringComparison.Ordinal) ? "200ms" : "10s";
        return $"secrets: {{ command: [{words}], timeout: {timeout} }}\n";
    }

    private PipelineConfiguration Parse(string connection, string more) =>
        PipelineConfiguration.Parse(
            $"version: 1\ndatabase: {{ name: a, path: . }}\nconnections:\n  c: {connection}\n{more}",
            Path.Combine(_folder, "pipeline.yaml"),
            FixedVariables.None,
            ProbeDefinition.Catalog
        );
}
