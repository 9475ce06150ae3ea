using Xunit;

namespace Pipeline.Indexing.Tests.Spatial;

public sealed class ShapeTests
{
    [Fact]
    public void Distances_are_those_of_the_spherical_law_of_cosines()
    {
        var random = new Random(1);
        for (var i = 0; i < 20_000; i++)
        {
            var (a, b) = (Point(random), Point(random));
            var (la, lb) = (double.DegreesToRadians(a.Latitude), double.DegreesToRadians(b.Latitude));
            var cosine =
                Math.Sin(la) * Math.Sin(lb)
                + Math.Cos(la) * Math.Cos(lb) * Math.Cos(double.DegreesToRadians(a.Longitude - b.Longitude));
            Assert.Equal(
                Math.Acos(Math.Clamp(cosine, -1, 1)) * 6_371_008.7714,
                new HaversineDistance(a.Latitude, a.Longitude).Meters(b.Latitude, b.Longitude),
                1.0
            );
        }
    }

    [Fact]
    public void A_circle_holds_what_lies_within_its_radius_wherever_it_is()
    {
        var random = new Random(2);
        for (var i = 0; i < 4_000; i++)
        {
            var centre =
                i % 4 == 0
                    ? (Latitude: 89.0 * (random.Next(2) * 2 - 1), Longitude: random.NextDouble() * 360 - 180)
                    : Point(random);
            var radius = Math.Pow(10, 2 + random.NextDouble() * 5.2);
            var circle = new GeoCircle(centre.Latitude, centre.Longitude, radius);
            for (var j = 0; j < 20; j++)
            {
                var p = Point(random);
                var within =
                    new HaversineDistance(centre.Latitude, centre.Longitude).Meters(p.Latitude, p.Longitude) <= radius;
                Assert.Equal(within, circle.Contains(p.Latitude, p.Longitude));
                Assert.True(!within || circle.Bounds.Contains(p.Latitude, p.Longitude), $"{circle} {p}");
            }
        }
    }

    [Fact]
    public void What_a_shape_says_of_a_rectangle_holds_for_all_its_points()
    {
        var random = new Random(3);
        var decided = 0;
        for (var i = 0; i < 6_000; i++)
        {
            var shape = RandomShape(random);
            var (south, west) = Point(random);
            var size = Math.Pow(10, random.NextDouble() * 2.2 - 1);
            var (north, east) = (Math.Min(90, south + size), Math.Min(180, west + size));
            var overlap = shape.Relate(south, west, north, east);
            if (overlap == Overlap.Partial)
                continue;
            decided++;
            for (var j = 0; j < 60; j++)
            {
                var (latitude, longitude) = (
                    south + (north - south) * random.NextDouble(),
                    west + (east - west) * random.NextDouble()
                );
                Assert.True(
                    shape.Contains(latitude, longitude) == (overlap == Overlap.Whole),
                    $"{shape}: {overlap} of {south} {west} {north} {east}, but {latitude} {longitude}"
                );
            }
        }

        Assert.True(decided > 1_000);
    }

    [Theory]
    [InlineData(5, 5, true)]
    [InlineData(0, 5, true)]
    [InlineData(10, 10, true)]
    [InlineData(10.001, 5, false)]
    [InlineData(3, 3, false)]
    [InlineData(2, 3, true)]
    public void A_polygon_has_its_rim_and_lacks_its_hole(double latitude, double longitude, bool within)
    {
        var polygon = new GeoPolygon(Square(0, 0, 10, 10), Square(2, 2, 4, 4));
        Assert.Equal(within, polygon.Contains(latitude, longitude));
    }

    [Fact]
    public void Shapes_cross_the_dateline()
    {
        var polygon = new GeoPolygon(Square(-20, 170, -10, 190));
        var rectangle = new GeoRectangle(-20, 170, -10, -170);
        foreach (var shape in new Shape[] { polygon, rectangle, new GeoUnion(rectangle, new GeoCircle(0, 0, 1)) })
        {
            Assert.True(shape.Contains(-15, 175));
            Assert.True(shape.Contains(-15, -175));
            Assert.False(shape.Contains(-15, 165));
            Assert.False(shape.Contains(-15, -165));
            Assert.True(shape.Bounds.Contains(-15, -175));
            Assert.Equal(Overlap.Whole, shape.Relate(-16, -176, -15, -175));
        }
    }

    [Fact]
    public void What_is_not_on_the_earth_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new GeoCircle(91, 0, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new GeoCircle(0, double.NaN, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new GeoCircle(0, 0, -1));
        Assert.Throws<ArgumentException>(() => new GeoRing([(0, 0), (1, 1), (0, 0)]));
        Assert.Throws<ArgumentException>(() => new GeoRing([(0, 0), (1, 1), (95, 0)]));
        Assert.Throws<ArgumentException>(() => new GeoUnion());
    }

    private static Shape RandomShape(Random random)
    {
        var (latitude, longitude) = Point(random);
        switch (random.Next(4))
        {
            case 0:
                return new GeoCircle(latitude, longitude, Math.Pow(10, 4 + random.NextDouble() * 3.3));
            case 1:
                return new GeoRectangle(
                    latitude,
                    longitude,
                    Math.Min(90, latitude + random.NextDouble() * 80),
                    random.NextDouble() * 360 - 180
                );
            case 2:
                var corners = Enumerable
                    .Range(0, random.Next(3, 9))
                    .Select(i => i / 9.0 * 2 * Math.PI)
                    .Select(a =>
                        (
                            Math.Clamp(latitude + Math.Sin(a) * (5 + random.NextDouble() * 30), -90, 90),
                            longitude + Math.Cos(a) * (5 + random.NextDouble() * 30)
                        )
                    );
                return new GeoPolygon(
                    new GeoRing([.. corners]),
                    Square(latitude / 2, longitude, latitude / 2 + 0.1, longitude + 2)
                );
            default:
                return new GeoUnion(new GeoCircle(latitude, longitude, 1_000_000), new GeoRectangle(-10, -20, 30, 40));
        }
    }

    private static GeoRing Square(double south, double west, double north, double east) =>
        new([(south, west), (south, east), (north, east), (north, west)]);

    private static (double Latitude, double Longitude) Point(Random random) =>
        (double.RadiansToDegrees(Math.Asin(random.NextDouble() * 2 - 1)), random.NextDouble() * 360 - 180);
}
