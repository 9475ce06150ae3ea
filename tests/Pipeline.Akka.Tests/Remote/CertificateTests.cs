using System.Security.Cryptography.X509Certificates;
using Akka.Actor;
using Akka.Configuration;
using Pipeline.Akka.Persistence;
using Pipeline.Configuration;
using Pipeline.Database.Certificates;
using Pipeline.Hosting;
using Pipeline.TestKit.Certificates;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Akka.Tests.Remote;

/// <summary>A server that accepts only clients whose certificates it knows.</summary>
public sealed class CertificateTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Actors_persist_over_TLS_with_the_certificate_that_the_server_knows_and_with_no_other()
    {
        var folder = TestFolders.Make();
        using X509Certificate2 server = TestCertificate.Make("server"),
            known = TestCertificate.Make("actors"),
            stranger = TestCertificate.Make("stranger");
        File.WriteAllText(Path.Combine(folder, "server.pem"), TestCertificate.ToPem(server));
        File.WriteAllBytes(Path.Combine(folder, "actors.pfx"), known.Export(X509ContentType.Pfx, "word"));
        File.WriteAllText(Path.Combine(folder, "stranger.pem"), TestCertificate.ToPem(stranger));
        await using var worker = await PipelineWorker.OpenAsync(
            PipelineConfiguration.Parse(
                $$"""
                version: 1
                database: { name: bank, path: ./data }
                server:
                  url: https://127.0.0.1:0
                  certificate: { file: server.pem }
                  clients: [{ name: actors, thumbprint: "{{CertificateThumbprint.Of(
                    known
                )}}", databases: { bank: readWrite } }]
                """,
                Path.Combine(folder, "pipeline.yaml"),
                FixedVariables.None
            ),
            new WorkerOptions { Listens = true }
        );
        var trust = $"server-thumbprint = \"{CertificateThumbprint.Of(server)}\"";

        using (var system = Create("known", $"certificate = \"{At("actors.pfx")}\", password = word, {trust}"))
        {
            var actor = system.ActorOf(Counter.Props("a"));
            Assert.Equal(3, await actor.Ask<int>(3, Soon));
            Assert.Equal(7, await actor.Ask<int>(4, Soon));
            await system.Terminate();
        }

        Assert.Equal(2, await worker.Database.Events.GetHighestSequenceAsync("a"));
        Assert.Contains(
            "403",
            (await Refused<RemoteDatabaseException>($"certificate = \"{At("stranger.pem")}\", {trust}")).Message,
            StringComparison.Ordinal
        );
        Assert.Contains("403", (await Refused<RemoteDatabaseException>(trust)).Message, StringComparison.Ordinal);
        await Refused<RemoteDatabaseException>(
            $"certificate = \"{At("actors.pfx")}\", password = word, server-thumbprint = \"{CertificateThumbprint.Of(stranger)}\""
        );
        Assert.Contains(
            "nowhere.pem",
            (await Refused<PersistencePlaceException>($"certificate = \"{At("nowhere.pem")}\"")).ToString(),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "tls.server-thumbprint",
            (await Refused<global::Akka.Configuration.ConfigurationException>("server-thumbprint = abc")).Message,
            StringComparison.Ordinal
        );

        string At(string file) => Path.Combine(folder, file).Replace('\\', '/');

        ActorSystem Create(string name, string tls) =>
            ActorSystem.Create(
                name,
                SpecPlace.Of(
                    $"url = \"{worker.Address!.ToString().TrimEnd('/')}\"\nremote-database = bank\ntls {{ {tls} }}"
                )
            );

        async Task<T> Refused<T>(string tls)
            where T : Exception
        {
            using var system = Create("refused", tls);
            var e = await Assert.ThrowsAsync<T>(() =>
                PipelinePersistence.Get(system).CheckAsync("akka.persistence.journal.pipeline")
            );
            await system.Terminate();
            return e;
        }
    }
}
