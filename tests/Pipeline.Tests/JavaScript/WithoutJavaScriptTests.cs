using System.Net;
using Pipeline.Database.Scripts.JavaScript;
using Pipeline.Etl.Configuration;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Xunit;

namespace Pipeline.Tests.JavaScript;

/// <summary>What is there where the feed has no Jint.</summary>
public sealed class WithoutJavaScriptTests
{
    [SkippableFact]
    public void A_task_in_JavaScript_is_refused_with_what_is_missing_and_the_mend()
    {
        Skip.If(JavaScriptLanguage.Compiler is not null, "This build has JavaScript.");
        var e = Assert.Throws<ConfigurationException>(() => Pipeline.Etl.Runner.EtlPlan.Create(PipelineConfiguration.Parse(
            "version: 1\ndatabase: { name: a, path: . }\nconnections: { c: { files: } }\netl:\n  - name: t\n    from: [A]\n    to: c\n    language: javascript\n    transform: loadToOut(this);\n", "f.yaml", FixedVariables.None)));
        Assert.Contains("f.yaml:9:16: transform of 't': 'language: javascript' needs Jint", Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task A_patch_is_refused_with_what_is_missing_and_the_mend()
    {
        Skip.If(JavaScriptLanguage.Compiler is not null, "This build has JavaScript.");
        await using var server = await PipelineServer.StartAsync(new ServerOptions());
        await server.CreateDatabaseAsync("db");
        using var http = new HttpClient { BaseAddress = server.Url };
        var answer = await http.PatchAsync("/databases/db/docs?id=a", new StringContent("""{"Patch":{"Script":"this.a=1"}}"""));
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        Assert.Contains("the package Jint: build it where", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [SkippableFact]
    public void JavaScript_is_tested() => JavaScriptThere.Require();
}
