using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Documents;

namespace Pipeline.Cluster.Tests.Database;

/// <content>What is set and kept for all documents: consumers, configurations, indexes, lineages.</content>
internal sealed partial class RandomOperations
{
    private Task FeedAsync() => Do(m => m.Database.PutAsync($"fed/{client}/{++_number}", Json(_number, "Fed"), ct: ct));

    private FeedConsumer Consumer() =>
        new()
        {
            Name = $"consumer/{client % 5}",
            PositionKey = $"consumer/{client % 5}",
            Collections = ["Things"],
            Since = DateTimeOffset.UnixEpoch.AddSeconds(_number),
        };

    private Task ExpiringAsync() =>
        Do(m =>
            m.Database.PutAsync(
                $"expiring/{client}/{_random.Next(20)}",
                Encoding.UTF8.GetBytes(
                    $$"""{"N":{{++_number}},"@metadata":{"@collection":"Expiring","{{(_random.Next(2) == 0 ? "@expires" : "@refresh")}}":"2020-01-01T00:00:00Z"} }"""
                ),
                ct: ct
            )
        );

    private Task ConfigureRevisionsAsync() =>
        Do(m =>
            m.Database.Revisions.ConfigureAsync(
                new RevisionConfiguration { Default = new RevisionPolicy { Keep = _random.Next(1, 6) } },
                ct
            )
        );

    private Task ConfigureExpirationAsync() =>
        Do(m =>
            m.Database.Expiration.ConfigureAsync(
                new ExpirationConfiguration(
                    TimeSpan.FromSeconds(_random.Next(1, 9)),
                    TimeSpan.FromSeconds(_random.Next(1, 9))
                ),
                ct
            )
        );

    private Task IndexAsync() =>
        Do(m =>
            m.Database.Indexes.PutAsync(
                new IndexDefinition
                {
                    Name = $"i{client % 4}",
                    Maps = [$"from t in docs.Things select new {{ t.N, M = t.N % {_random.Next(2, 5)} }}"],
                },
                ct
            )
        );

    private Task QueryAsync() =>
        Do(m =>
            m.Database.QueryAsync(new QueryRequest($"from Things where N > {_random.Next(100)}") { Wait = null }, ct)
                .AsTask()
        );

    /// <summary>A new data key at the leader, if it has one: all pages go through the log.</summary>
    private Task RekeyAsync() =>
        Do(m => m.Options.Storage.Encryption is null ? Task.CompletedTask : m.Database.Storage.RotateDataKeyAsync(ct));

    private Task LineageAsync() =>
        Do(m => m.Database.BeginLineageAsync(m.Database.Lineages, m.Database.LastPosition + 1, "a test", ct));
}
