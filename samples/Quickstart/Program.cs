using Microsoft.Extensions.Logging;
using Pipeline.Runner;
using Pipeline.Runner.Logging;
using Pipeline.Yaml;
using Quickstart;

if (Targets.Read(args) is not { } variables)
{
    Console.Error.WriteLine(Targets.Usage);
    return 2;
}

// Each run starts afresh, so that it always shows the same.
foreach (var folder in (string[])["data", "out"])
{
    if (Directory.Exists(folder))
        Directory.Delete(folder, recursive: true);
}

try
{
    // begin-snippet: host
    // Opens the database that pipeline.yaml names, imports northwind.jsonl and compiles the transforms.
    await using var runner = await PipelineRunner.OpenAsync(
        new RunnerOptions
        {
            ConfigurationFile = "pipeline.yaml",
            Variables = new FixedVariables(variables),
            Loggers = WorkerLogging.To(Console.Error, LogLevel.Warning),
        }
    );

    // Runs the tasks until each has sent all documents.
    var summary = await runner.RunOnceAsync();
    // end-snippet

    Console.Write(summary.ToText());
    Console.WriteLine(
        variables["TARGET"] == "files"
            ? $"The messages: {Path.GetFullPath("out")}{Path.DirectorySeparatorChar}*.jsonl, one a line"
            : $"The messages went to big-orders, order-lines and order-summaries of connection '{variables["TARGET"]}'"
    );
    Console.WriteLine(
        "The tasks:    samples/Quickstart/pipeline.yaml; change a transform and run again, each run starts afresh"
    );
    return summary.Succeeded ? 0 : 1;
}
catch (Exception e)
{
    Console.Error.WriteLine($"quickstart: {e.Message}");
    return 1;
}
