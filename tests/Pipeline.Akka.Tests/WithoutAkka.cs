using Pipeline.Etl.Configuration;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.Akka.Tests;

/// <summary>What is there where the feed has no Akka.NET; it says in the results what was left out.</summary>
public sealed class WithoutAkka
{
    [Fact(Skip = "This feed has no Akka.NET packages: its specifications of journals, snapshot stores and queries were not run. actors/README.md tells how to run them.")]
    public void Specifications_of_Akka_were_not_run()
    {
    }

    [Fact]
    public async Task Actors_in_a_configuration_are_refused_by_name()
    {
        string folder = Directory.CreateTempSubdirectory("pipeline-akka-").FullName;
        try
        {
            PipelineConfiguration configuration = PipelineConfiguration.Parse(
                "version: 1\ndatabase: { name: actors, path: ./data }\nactors: { start: Some.Class }\n", Path.Combine(folder, "pipeline.yaml"), FixedVariables.None);
            WorkerException e = await Assert.ThrowsAsync<WorkerException>(() => PipelineWorker.OpenAsync(configuration, new WorkerOptions()));
            Assert.Contains("'actors' needs Akka.NET", e.Message, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
