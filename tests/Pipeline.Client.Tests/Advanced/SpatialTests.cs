using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Queries by places, in the process and over HTTP.</summary>
public sealed class SpatialTests
{
    private static readonly (string Name, double Latitude, double Longitude)[] Cities =
    [
        ("Oslo", 59.91, 10.75),
        ("Drammen", 59.74, 10.20),
        ("Bergen", 60.39, 5.32),
        ("Sydney", -33.87, 151.21),
    ];

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Places_are_found_and_ordered(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await StoreAsync(f);
        await using var session = f.Store.OpenSession();
        var shops = session.Query<Shop>();
        Assert.Equal(
            ["Drammen", "Oslo"],
            await NamesAsync(
                shops
                    .Spatial(s => s.Latitude, s => s.Longitude, area => area.WithinRadius(50, 59.91, 10.75))
                    .OrderBy(s => s.Name)
            )
        );
        Assert.Equal(
            ["Drammen", "Oslo"],
            await NamesAsync(
                shops
                    .Spatial(s => s.Place, area => area.WithinRadius(31, 59.91, 10.75, DistanceUnit.Miles))
                    .OrderBy(s => s.Name)
            )
        );
        Assert.Equal(
            ["Bergen", "Sydney"],
            await NamesAsync(
                shops.Spatial(s => s.Place, area => area.OutsideRadius(50, 59.91, 10.75)).OrderBy(s => s.Name)
            )
        );
        Assert.Equal(
            ["Oslo"],
            await NamesAsync(
                shops.Spatial(s => s.Wkt, area => area.Within("POLYGON((10.5 59, 11 59, 11 61, 10.5 61, 10.5 59))"))
            )
        );
        Assert.Equal(
            ["Bergen", "Drammen", "Sydney"],
            await NamesAsync(
                shops
                    .Spatial(s => s.Place, area => area.Disjoint("POLYGON((10.5 59, 11 59, 11 61, 10.5 61, 10.5 59))"))
                    .OrderBy(s => s.Name)
            )
        );
        Assert.Equal(
            ["Oslo", "Drammen", "Bergen", "Sydney"],
            await NamesAsync(shops.OrderByDistance(s => s.Place, 59.91, 10.75))
        );
        Assert.Equal(
            ["Sydney", "Bergen"],
            await NamesAsync(
                shops
                    .OrderByDistanceDescending(s => s.Latitude, s => s.Longitude, 59.91, 10.75)
                    .ThenBy(s => s.Name)
                    .Take(2)
            )
        );
        Assert.Equal(
            ["Bergen"],
            await NamesAsync(
                shops
                    .Spatial(s => s.Place, area => area.WithinRadius(1000, 59.91, 10.75))
                    .OrderByDistance(s => s.Place, 59.91, 10.75)
                    .Where(s => s.Name != "Drammen")
                    .Skip(1)
            )
        );
        Assert.Equal(
            2,
            await shops
                .OrderByDistance(s => s.Place, 59.91, 10.75)
                .Spatial(s => s.Place, area => area.WithinRadius(50, 59.91, 10.75))
                .CountAsync()
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_field_of_an_index_is_a_place(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await StoreAsync(f);
        await f.Store.PutIndexesAsync([
            new IndexText(
                "Shops/ByPlace",
                ["from s in docs.Shops select new { s.Name, Place = CreateSpatialField(s.Latitude, s.Longitude) }"],
                null
            ),
        ]);
        await using var session = f.Store.OpenSession();
        Assert.Equal(
            ["Oslo", "Drammen"],
            await NamesAsync(
                session
                    .Query<Shop>("Shops/ByPlace")
                    .Spatial(s => s.Place, area => area.WithinRadius(50, 59.91, 10.75))
                    .OrderByDistance(s => s.Place, 59.91, 10.75)
            )
        );
    }

    [Fact]
    public async Task What_is_no_place_is_refused()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await StoreAsync(f);
        await using var session = f.Store.OpenSession();
        Assert.Contains(
            "Latitude",
            Assert
                .Throws<UnsupportedExpressionException>(() =>
                    session.Query<Shop>().Spatial(s => s.Latitude, area => area.WithinRadius(1, 2, 3)).ToQueryString()
                )
                .Message,
            StringComparison.Ordinal
        );
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            session.Query<Shop>().OrderByDistance(s => s.Place, double.NaN, 3).ToQueryString()
        );
        await Assert.ThrowsAsync<QueryException>(async () =>
            await session.Query<Shop>().OrderByDistance(s => s.Place, 91, 3).ToListAsync()
        );
    }

    private static async Task StoreAsync(ClientFixture f)
    {
        await using var session = f.Store.OpenSession();
        foreach (var (name, latitude, longitude) in Cities)
        {
            session.Store(
                new Shop(
                    $"shops/{name}",
                    name,
                    latitude,
                    longitude,
                    new Place(latitude, longitude),
                    FormattableString.Invariant($"POINT({longitude} {latitude})")
                )
            );
        }

        await session.SaveChangesAsync();
    }

    private static async Task<string[]> NamesAsync(IQueryable<Shop> query) =>
        [.. (await query.ToListAsync()).Select(s => s.Name)];
}
