using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary><c>WithPipeline()</c> knows every activity source and meter of the product.</summary>
public sealed class TelemetryRules
{
    [Fact]
    public void No_source_and_no_meter_is_missing_from_the_list()
    {
        var (sources, meters) = (
            new SortedSet<string>(StringComparer.Ordinal),
            new SortedSet<string>(StringComparer.Ordinal)
        );
        var projects = RepositoryTree
            .Files(".csproj")
            .Where(f => RepositoryTree.Relative(f).Split('/')[0] is not ("tests" or "samples" or "templates"))
            .Select(f => Path.GetFileNameWithoutExtension(f))
            .Where(n => n != "Pipeline.Tool")
            .ToList();
        Assert.Contains("Pipeline.Storage", projects);
        foreach (
            var field in projects
                .SelectMany(p => Assembly.Load(p).GetTypes())
                .Where(t => !t.ContainsGenericParameters)
                .SelectMany(t =>
                    t.GetFields(
                        BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly
                    )
                )
        )
        {
            if (field.FieldType != typeof(ActivitySource) && field.FieldType != typeof(Meter))
                continue;
            RuntimeHelpers.RunClassConstructor(field.DeclaringType!.TypeHandle);
            switch (field.GetValue(null))
            {
                case ActivitySource source:
                    sources.Add(source.Name);
                    break;
                case Meter meter:
                    meters.Add(meter.Name);
                    break;
            }
        }
        Assert.Equal(sources, PipelineTelemetry.ActivitySources);
        Assert.Equal(meters, PipelineTelemetry.Meters);

        // A source that is not a static field would be missed above.
        foreach (
            var file in new[]
            {
                "actors",
                "backups",
                "client",
                "engine",
                "etl",
                "server",
                "subscriptions",
                "worker",
            }.SelectMany(top => RepositoryTree.Files(".cs", top))
        )
        {
            Assert.True(
                !File.ReadLines(file)
                    .Any(l =>
                        l.Contains("new ActivitySource(", StringComparison.Ordinal)
                        || l.Contains("new Meter(", StringComparison.Ordinal)
                    ),
                $"{RepositoryTree.Relative(file)} makes a source that is no static field"
            );
        }
    }
}
