using System.Globalization;
using Pipeline.Hosting.Backups;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <content>Whether the worker is ready.</content>
public sealed partial class PipelineWorker
{
    /// <summary>Looks at storage, disk space, consumers, connections, backups and tasks, as <c>/health/ready</c> does.
    /// May be called often and from any thread: the storage is written to at most every 5 s, connections are asked at
    /// most every 15 s.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>What was seen. A worker that cannot write is unready; one whose targets are away is degraded.</returns>
    public async ValueTask<ReadinessReport> CheckReadyAsync(CancellationToken cancellationToken = default)
    {
        var checks = new List<ReadinessCheck>(await _probe.CheckAsync(cancellationToken).ConfigureAwait(false))
        {
            CheckPages(Database.Storage.GetStatistics().Scrub),
        };
        if (!_imported)
        {
            checks.Add(
                new ReadinessCheck(
                    "import",
                    Ok: false,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"in progress, position {Database.LastPosition}; the tasks start after it"
                    )
                )
            );
            return ReadinessReport.Of(checks);
        }

        if (_cluster is { } cluster)
        {
            var (isWell, isReady, detail) = cluster.Check();
            checks.Add(new ReadinessCheck("cluster", isWell, detail) { IsWarning = isReady });
        }
        if (_actors is { } actors)
        {
            var problem = await actors.FindProblemAsync(cancellationToken).ConfigureAwait(false);
            checks.Add(new ReadinessCheck("actors", problem is null, problem ?? "they can persist"));
        }

        if (_actorCluster is { } node)
        {
            var problem = node.FindProblem();
            checks.Add(
                new ReadinessCheck("actors", problem is null, problem ?? "they have joined") { IsWarning = true }
            );
        }

        checks.AddRange(_consumers.Check());
        checks.AddRange(await _connections.CheckAsync(cancellationToken).ConfigureAwait(false));
        checks.AddRange(BackupHealth.Check(Backups));
        var letters = _etl.CountDeadLetters();
        checks.AddRange(
            GetTasks()
                .Select(t => new ReadinessCheck(
                    "task " + t.Name,
                    !t.IsFailed,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{t.State}, position {t.Place}, {letters.GetValueOrDefault(t.Name):N0} dead letters"
                    ) + (t.Problem is null ? "" : ": " + t.Problem)
                ))
        );
        return ReadinessReport.Of(checks);
    }

    /// <summary>
    /// Damaged pages need a person. Work that does not need them continues, so the worker stays ready.
    /// </summary>
    internal static ReadinessCheck CheckPages(ScrubStatistics? scrub) =>
        new(
            "pages",
            scrub is null or { DamagedPages: 0 },
            scrub is { DamagedPages: > 0 }
                    ? string.Create(
                        CultureInfo.InvariantCulture,
                        $"{scrub.DamagedPages} are damaged, the first: {scrub.Damaged[0]}"
                    )
                : scrub is { RepairedPages: > 0 }
                    ? string.Create(
                        CultureInfo.InvariantCulture,
                        $"{scrub.RepairedPages} were damaged and are repaired, the last at {scrub.Repaired[^1].Time:u} from node {scrub.Repaired[^1].Source}; check the disk"
                    )
                : scrub?.Last is { } last
                    ? string.Create(CultureInfo.InvariantCulture, $"all sound on {last.StartedAt:u}")
                : "not verified yet since the start"
        )
        {
            IsWarning = true,
        };
}
