using System.Diagnostics;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Pipeline.Runner.Logging;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Logs as JSON lines, and metrics that Prometheus's own checker accepts.</summary>
public sealed partial class LogFormatTests
{
    [Fact]
    public async Task Every_line_on_standard_error_is_a_JSON_object()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(
            folder,
            "if (doc.N == 2) throw new InvalidOperationException(\"two\\nlines\"); send(\"out\", new { doc.N });"
        );
        folder.Write("things.jsonl", RunOnceTests.Things(3));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config, "--log-format", "json");

        var lines = run
            .Error.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(l => JsonDocument.Parse(l).RootElement)
            .ToList();
        var opened = lines.Single(l => l.TryGetProperty("eventId", out var id) && id.GetInt32() == 5000);
        Assert.Equal(
            ("info", "Pipeline.Worker", "Opened"),
            (
                opened.GetProperty("level").GetString(),
                opened.GetProperty("category").GetString(),
                opened.GetProperty("event").GetString()
            )
        );
        Assert.Equal("shop", opened.GetProperty("values").GetProperty("Database").GetString());
        Assert.Equal(0, opened.GetProperty("values").GetProperty("Position").GetInt64());
        var letter = lines.Single(l => l.TryGetProperty("event", out var name) && name.GetString() == "DeadLettered");
        Assert.Equal("warn", letter.GetProperty("level").GetString());
        Assert.DoesNotContain("two", letter.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_error_that_a_command_ends_with_is_one_too()
    {
        using var folder = new TestFolder();
        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", folder["none.yaml"], "--log-format", "json");

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        var error = JsonDocument.Parse(run.Error).RootElement;
        Assert.Equal(
            ("error", "pipeline"),
            (error.GetProperty("level").GetString(), error.GetProperty("category").GetString())
        );
        Assert.Contains("none.yaml", error.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_format_is_refused()
    {
        var run = await WorkerRun.InvokeAsync("run", "--log-format", "xml");

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("--log-format 'xml' is not one of text, json", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Values_errors_and_the_trace_are_in_the_object()
    {
        var writer = new StringWriter();
        using var loggers = WorkerLogging.ToJson(writer, LogLevel.Information, new ManualTimeProvider());
        using var activity = new Activity("test").Start();

        Said(
            loggers.CreateLogger("Some.Category"),
            new InvalidOperationException("inner"),
            0.5,
            double.NaN,
            true,
            null
        );

        var line = JsonDocument.Parse(writer.ToString()).RootElement;
        Assert.Equal("2026-01-02T03:04:05.000Z", line.GetProperty("time").GetString());
        Assert.Equal(
            """{"Share":0.5,"Odd":"NaN","Flag":true,"Nothing":null}""",
            line.GetProperty("values").GetRawText()
        );
        Assert.Equal(
            ("System.InvalidOperationException", "inner"),
            (
                line.GetProperty("error").GetProperty("type").GetString(),
                line.GetProperty("error").GetProperty("message").GetString()
            )
        );
        Assert.False(line.GetProperty("error").TryGetProperty("trace", out _));
        Assert.Equal(
            (activity.TraceId.ToHexString(), activity.SpanId.ToHexString()),
            (line.GetProperty("traceId").GetString(), line.GetProperty("spanId").GetString())
        );
    }

    [SkippableFact]
    public async Task Promtool_has_no_complaint_about_the_metrics()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(20));
        await using var worker = await Pipeline.Hosting.PipelineWorker.OpenAsync(
            new Pipeline.Hosting.WorkerOptions { ConfigurationFile = config, Listens = true }
        );
        await worker.RunOnceAsync();
        using var http = new HttpClient { BaseAddress = worker.Address };
        var metrics = await http.GetStringAsync("/metrics");
        Assert.DoesNotMatch(@"(?m)^# TYPE \S+_count gauge$", metrics);
        using var promtool = Start();
        Skip.If(promtool is null, "promtool is not installed (Debian: prometheus)");
        await promtool.StandardInput.WriteAsync(metrics);
        promtool.StandardInput.Close();
        var said = await promtool.StandardOutput.ReadToEndAsync() + await promtool.StandardError.ReadToEndAsync();
        await promtool.WaitForExitAsync();
        Assert.Equal("", said);
        Assert.Equal(0, promtool.ExitCode);
    }

    private static Process? Start()
    {
        try
        {
            return Process.Start(
                new ProcessStartInfo("promtool", ["check", "metrics"])
                {
                    RedirectStandardInput = true,
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                }
            );
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    [LoggerMessage(77, LogLevel.Error, "{Share} {Odd} {Flag} {Nothing}")]
    private static partial void Said(
        ILogger logger,
        Exception error,
        double share,
        double odd,
        bool flag,
        string? nothing
    );
}
